"""Opens model files that unit-train wrote with PyTorch and Dingo and compares them with the originals.

    KOWARI_MODEL_INPUT=MODELS KOWARI_MODEL_OUTPUT=WRITTEN unit-train --gtest_filter='*ModelFile*:*Archive*'
    python check_with_dingo.py MODELS WRITTEN

MODELS holds .pt files saved by Dingo, WRITTEN (an empty folder) receives the copies. Needs dingo-gw.
"""

import sys
from pathlib import Path

import torch
from dingo.core.posterior_models.build_model import build_model_from_kwargs


def same(left, right, where, skip=()):
    """Raises if two loaded files differ; tuples may have become lists."""
    if isinstance(left, torch.Tensor):
        assert left.dtype == right.dtype and left.shape == right.shape, where
        assert torch.equal(left, right), where
    elif isinstance(left, dict):
        assert set(left) == set(right) - set(skip), (where, set(left) ^ set(right))
        assert list(left) == [k for k in right if k not in skip] or where.endswith("]") or "optimizer" in where, where
        for key in left:
            same(left[key], right[key], f"{where}.{key}")
    elif isinstance(left, (list, tuple)):
        assert len(left) == len(right), where
        for i, pair in enumerate(zip(left, right)):
            same(*pair, f"{where}[{i}]")
    else:
        assert left == right, (where, left, right)


def check(original, written):
    first = torch.load(original, weights_only=True)
    for weights_only in (True, False):
        second = torch.load(written, weights_only=weights_only)
        ours = second["metadata"].pop("kowari")
        assert ours == {"version": "0.1.0", "seed": 42}
        group = second["optimizer_state_dict"]["param_groups"][0]
        assert isinstance(group.get("betas", ()), tuple)
        if "initial_lr" not in first["optimizer_state_dict"]["param_groups"][0]:
            del group["initial_lr"]
        same(first, second, original.name)
    if original.name.startswith("torch_"):
        return "torch"
    # Dingo builds the network, the optimizer and the scheduler and loads their states.
    models = [build_model_from_kwargs(filename=str(path), device="cpu") for path in (original, written)]
    same(*(dict(m.network.state_dict()) for m in models), original.name)
    same(*(m.optimizer.state_dict() for m in models), original.name)
    same(*(m.scheduler.state_dict() for m in models), original.name)
    return "dingo"


def main():
    originals, written = map(Path, sys.argv[1:3])
    counts = {"torch": 0, "dingo": 0}
    for path in sorted(written.glob("*.pt")):
        if path.name.startswith("archive"):
            loaded = torch.load(path, weights_only=True)
            assert loaded["first"][999] == 999.25 and loaded["second"][0] == -3 and loaded["none"].numel() == 0
            print("torch", path.name)
            continue
        sources = [folder / path.name for folder in (originals, Path(__file__).parents[2] / "data" / "models")]
        kind = check(next(source for source in sources if source.exists()), path)
        counts[kind] += 1
        print(kind, path.name)
    print(counts)


main()
