"""One thread: the modules here are tiny, and the sums of two threads differ from those of one."""

import torch

torch.set_num_threads(1)
