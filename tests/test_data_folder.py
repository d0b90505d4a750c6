"""A data folder that is none: the fault names what is wrong."""

import pytest

from core.domain import BadDataError
from core.sources.refresh import writing


def test_a_data_folder_that_is_a_file_is_called_one(tmp_path):
    (tmp_path / "data").touch()
    for folder in (tmp_path / "data", tmp_path / "data" / "snapshots"):
        with pytest.raises(BadDataError, match="set FORMULARY_DATA to a folder"), writing():
            folder.mkdir(exist_ok=True)
