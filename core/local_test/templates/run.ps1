# Sets up the tools once, then runs the test. Start it again after a break and it goes on.
$ErrorActionPreference = 'Stop'
if ($args -and $args[0] -in '-h', '--help') {
  Write-Output 'Usage: .\run.ps1'
  Write-Output 'Asks every model of test.json the same cases and writes a log of each to the folder logs.'
  Write-Output 'It takes no arguments; README.md says what to set in the environment.'
  exit 0
}
if ($args) {
  [Console]::Error.WriteLine("run takes no argument $($args[0]): README.md says what to set in the environment.")
  exit 2
}
Set-Location $PSScriptRoot
if (-not (Test-Path .venv/ready)) {
  $python = if ($env:PYTHON) { $env:PYTHON } else { 'python' }
  & $python -m venv .venv
  if ($LASTEXITCODE) { exit $LASTEXITCODE }
  & .venv/Scripts/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
  if ($LASTEXITCODE) { exit $LASTEXITCODE }
  New-Item -ItemType File .venv/ready | Out-Null
}
& .venv/Scripts/python run.py
exit $LASTEXITCODE
