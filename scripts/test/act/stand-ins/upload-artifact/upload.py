"""Zips the files that the patterns name, with paths below their longest common directory, as upload-artifact does."""

import glob
import os
import pathlib
import sys
import zipfile

files: list[pathlib.Path] = []
for pattern in os.environ["FILES"].split():
    for found in map(pathlib.Path, sorted(glob.glob(pattern))):
        files += [path for path in found.rglob("*") if path.is_file()] if found.is_dir() else [found]
if not files:
    sys.exit("no files found")
common = os.path.commonpath([path.parent for path in files])
directory = pathlib.Path(os.environ["STAND_IN_ARTIFACTS"])
with zipfile.ZipFile(directory / f"{os.environ['NAME']}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for path in files:
        archive.write(path, path.relative_to(common))
