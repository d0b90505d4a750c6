# Sets up the tools once, then runs the test. Start it again after a break and it goes on.
$ErrorActionPreference = 'Stop'
Set-Location $PSScriptRoot
if (-not (Test-Path .venv/ready)) {
  $python = if ($env:PYTHON) { $env:PYTHON } else { 'python' }
  & $python -m venv .venv
  if ($LASTEXITCODE) { exit $LASTEXITCODE }
  & .venv/Scripts/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
  if ($LASTEXITCODE) { exit $LASTEXITCODE }
  New-Item -ItemType File .venv/ready | Out-Null
}
& .venv/Scripts/python run.py $args
exit $LASTEXITCODE
