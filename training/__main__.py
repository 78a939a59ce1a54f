"""`python -m training`: trains the classifier from `training/examples/` and writes the model that the wheel ships.

Two to five minutes; the same examples give the same file.
"""

from __future__ import annotations

import time
from pathlib import Path

import pointsman
from pointsman.linear_model import TYPES, compressed, to_json
from pointsman.model_classifier import MODEL_FILE
from pointsman.text_features import features
from training import examples
from training.calibration import held_out, temperature
from training.fitting import fit

MODEL = Path(pointsman.__file__).parent / MODEL_FILE


def main() -> None:
    """Train, calibrate and write."""
    began = time.monotonic()
    written = examples.read()
    questions = [features(example.text) for example in written]
    predictions = held_out(written, questions)
    # How sure it may be of what is asked in a new manner, that only the batches tell that were held out as a whole.
    fitted_temperature = temperature([one for one in predictions if one.example.whole])
    right = sum(TYPES[one.scores.index(max(one.scores))] == one.example.query_type for one in predictions)
    print(
        f"{len(written)} examples; held out: accuracy {right / len(written):.3f}, temperature {fitted_temperature:.3f}"
    )
    model = fit(questions, [example.query_type for example in written])
    text = to_json(compressed(model.weights, model.bias, fitted_temperature))
    MODEL.write_text(text, encoding="utf-8")
    print(f"{MODEL.name}: {len(text.encode()):,} bytes, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
