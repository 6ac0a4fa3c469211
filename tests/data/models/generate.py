"""Writes the small model files beside it that Dingo itself does not write every day.

Needs PyTorch and NumPy: python generate.py. The other .pt files of this folder were saved by Dingo 0.10.3.
"""

from collections import OrderedDict
import os
import pickle

import numpy as np
import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))


def save(name, **changes):
    content = {
        "model_kwargs": {"posterior_model_type": "normalizing_flow"},
        "model_state_dict": OrderedDict(weight=torch.arange(6.0).reshape(2, 3)),
        "epoch": 4,
        "iteration": 12,
        "version": "dingo=0.10.3",
        "metadata": {"train_settings": {"data": {}}},
    }
    content.update(changes)
    torch.save(content, os.path.join(FOLDER, name + ".pt"))


def trained(optimizer_class, scheduler_class, type_name, scheduler_kwargs, scheduler_name, **options):
    """Three steps, one scheduler step each, on two parameters; a third one is frozen."""
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(2, 3)), torch.nn.Parameter(torch.randn(3)), torch.nn.Parameter(torch.ones(2))]
    parameters[2].requires_grad_(False)
    optimizer = optimizer_class(parameters, lr=0.1, **options)
    scheduler = scheduler_class(optimizer, **scheduler_kwargs)
    for _ in range(3):
        optimizer.zero_grad()
        (parameters[0] @ parameters[1]).square().sum().backward()
        optimizer.step()
        scheduler.step(1.0) if scheduler_name == "reduce_on_plateau" else scheduler.step()
    return {
        "model_state_dict": OrderedDict((n, p.detach()) for n, p in zip("abc", parameters)),
        "optimizer_kwargs": {"type": type_name, "lr": 0.1, **options},
        "scheduler_kwargs": {"type": scheduler_name, **scheduler_kwargs},
        "optimizer_state_dict": optimizer.state_dict(),
        "scheduler_state_dict": scheduler.state_dict(),
    }


schedulers = torch.optim.lr_scheduler
save("torch_sgd", **trained(torch.optim.SGD, schedulers.StepLR, "sgd", {"step_size": 2}, "step", momentum=0.9, weight_decay=1e-4))
save("torch_sgd_plain", **trained(torch.optim.SGD, schedulers.CosineAnnealingLR, "sgd", {"T_max": 5}, "cosine"))
save("torch_adamw_amsgrad", **trained(torch.optim.AdamW, schedulers.ReduceLROnPlateau, "adamw", {"patience": 1, "factor": 0.5}, "reduce_on_plateau", amsgrad=True, betas=(0.8, 0.99)))
save("numpy_scalars", metadata={"train_settings": {"mean": np.float64(0.1), "std": np.float32(0.5), "count": np.int64(-7), "flag": np.bool_(True)}})

base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
save("strided", model_state_dict=OrderedDict(
    whole=base, transposed=base.t(), column=base[:, 2], window=base[1:3, 1:4], expanded=torch.ones(1).expand(3, 2),
    empty=torch.zeros(0, 5), scalar=torch.tensor(7), half=torch.ones(2, dtype=torch.float16), double=base.double()[0]))


class Forbidden:
    def __reduce__(self):
        return (os.system, ("echo this must never run",))


save("forbidden", metadata=Forbidden())
torch.save({"a": torch.ones(2)}, os.path.join(FOLDER, "pre_1_6.pt"), _use_new_zipfile_serialization=False)
torch.save([1, 2], os.path.join(FOLDER, "no_model.pt"))
