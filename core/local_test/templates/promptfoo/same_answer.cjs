// Right where answer and reference are the same but for case, punctuation, articles and blanks.
const plain = (text) =>
  String(text)
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, '')
    .replace(/\b(a|an|the)\b/g, ' ')
    .split(/\s+/)
    .filter(Boolean)
    .join(' ');

module.exports = (output, { vars }) =>
  plain(vars.reference) !== '' && plain(output) === plain(vars.reference);
