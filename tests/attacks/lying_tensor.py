"""Tries to return a tensor that says of itself what is wanted.

Must earn nothing.
"""

# %% answer
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in ("allclose", "equal", "isclose", "eq", "all", "any", "__eq__"):
            return torch.tensor(True)
        return super().__torch_function__(func, types, args, kwargs or {})
    def __eq__(self, other): return torch.tensor(True)
    def tolist(self): return [1.0] * self.numel()
    def detach(self): return self

def softmax(x, dim):
    return x.as_subclass(Liar)
