"""An animated GIF of the pictures in a folder, each named after its time in milliseconds.

``python scripts/animation.py FOLDER FILE.gif``, as ``make screenshot`` does. Equal neighbours become
one frame, and no frame is longer than ``LONGEST``: nobody reads a still picture for long.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageChops

#: Milliseconds of one frame, and of the last.
SHORTEST, LONGEST, LAST = 60, 1500, 4000
#: Colours of the palette, which all frames share; how many of them are the most frequent ones, unchanged, so
#: that no background gets a tint; and the number of frames that they are chosen from.
COLOURS, EXACT, SAMPLES = 256, 96, 10
WIDTH = 1000


def read(folder: Path) -> tuple[list[Image.Image], list[int]]:
    """The different pictures in the order of their times, and for how long each is shown."""
    paths = sorted(folder.glob("*.png"))
    if len(paths) < 2:
        sys.exit(f"{folder} has {len(paths)} pictures: nothing to animate.")
    images: list[Image.Image] = []
    times: list[int] = []
    for path in paths:
        image = Image.open(path).convert("RGB")
        height = round(image.height * WIDTH / image.width)
        image = image.resize((WIDTH, height), Image.Resampling.LANCZOS)
        if not images or ImageChops.difference(images[-1], image).getbbox():
            images.append(image)
            times.append(int(path.stem))
    ends = [*times[1:], times[-1] + LAST]
    shown = [min(max(end - start, SHORTEST), LONGEST) for start, end in zip(times, ends, strict=True)]
    return images, [*shown[:-1], LAST]


def palette_of(image: Image.Image) -> Image.Image:
    """The most frequent colours as they are, and the others by how far they are apart."""
    counted = image.getcolors(image.width * image.height) or []
    frequent = [colour for _, colour in sorted(counted, reverse=True)[:EXACT]]
    apart = image.quantize(COLOURS - len(frequent), Image.Quantize.MAXCOVERAGE).getpalette() or []
    exact = [channel for colour in frequent for channel in colour]
    palette = Image.new("P", (1, 1))
    palette.putpalette([*exact, *apart][: 3 * COLOURS])
    return palette


def main(folder: str, target: str) -> None:
    images, durations = read(Path(folder))
    samples = images[:: max(1, len(images) // SAMPLES)]
    together = Image.new("RGB", (WIDTH, sum(sample.height for sample in samples)))
    for n, sample in enumerate(samples):
        together.paste(sample, (0, n * sample.height))
    palette = palette_of(together)
    first, *rest = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    first.save(target, save_all=True, append_images=rest, duration=durations, loop=0, optimize=True)
    size = Path(target).stat().st_size / 1e6
    print(f"{target}: {len(images)} frames, {sum(durations) / 1000:.0f} s, {size:.2f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
