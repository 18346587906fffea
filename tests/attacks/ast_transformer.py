"""Tries to rewrite its checks on the way to the compiler: all are for one exercise, whose answer is right.

Must earn nothing but {"attention.find_slip": 1}.
"""

# %% answer
import ast
def softmax(x, dim):
    return x

class Swap(ast.NodeTransformer):
    def visit_Call(self, node):
        self.generic_visit(node)
        if getattr(node.func, "id", "") == "check":
            node.args = [ast.Constant("attention.find_slip"), ast.Constant(4)]
        return node
get_ipython().ast_transformers.append(Swap())
