// The prompt of all three tools: ../prompt.txt with the case in it.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

module.exports = ({ vars }) =>
  readFileSync(join(__dirname, '..', 'prompt.txt'), 'utf8').replace('{input}', () => vars.input);
