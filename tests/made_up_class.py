"""Students who work independently, and copies of their answers, both made up.

An independent student writes the reference, an alternative or a misconception, exercise by exercise,
in a style of their own: intermediate results, `x.sum(1)` or `torch.sum(x, dim=1)`, `a * b` or
`b * a`, loops for comprehensions, names, comments. A copy has other names, comments and order.
"""

import ast
import random

METHODS = ("sum", "mean", "exp", "log", "softmax", "matmul", "transpose", "reshape", "max", "cat")
WORDS = (
    "scores total weights out values tmp result hidden vec rows cols acc norm prob logits".split()
)
HABITS = (
    "result",
    "temporary",
    "function",
    "keyword",
    "swap",
    "augmented",
    "loop",
    "extra",
    "flip",
)


def independent(answers, rng):
    """One student: exercise -> source, from exercise -> possible sources, the reference first."""
    habits = {habit: rng.betavariate(1.2, 1.0) for habit in HABITS}
    return {
        name: styled(sources[0] if rng.random() < 0.5 else rng.choice(sources), habits, rng)
        for name, sources in answers.items()
    }


def styled(source, habits, rng):
    """The same answer in another style. It need not run: only its text is compared."""
    tree = ast.parse(source)
    tree = Style(habits, rng).visit(tree)
    return rename(ast.unparse(ast.fix_missing_locations(tree)), rng, share=0.7)


def copied(source, rng):
    """A copy with other names and comments, and independent statements in another order."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for i in range(len(body) - 1):
                if rng.random() < 0.5 and all(map(is_simple, body[i : i + 2])):
                    body[i], body[i + 1] = body[i + 1], body[i]
    return rename(ast.unparse(tree), rng, share=1.0) + "\n# checked twice"


def is_simple(node):
    return isinstance(node, (ast.Assign, ast.AugAssign))


def rename(source, rng, share):
    """Other names for variables and helper functions, with a comment here and there."""
    tree = ast.parse(source)
    stored = {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    new = {
        n: f"{rng.choice(WORDS)}_{rng.randrange(99)}"
        for n in sorted(stored)
        if rng.random() < share
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in new:
            node.id = new[node.id]
    lines = ast.unparse(tree).splitlines()
    return "\n".join(
        f"{line}  # {rng.choice(WORDS)}" if rng.random() < 0.1 else line for line in lines
    )


class Style(ast.NodeTransformer):
    """Rewrites code by the habits of one student."""

    def __init__(self, habits, rng):
        self.habits, self.rng, self.made = habits, rng, 0

    def has(self, habit):
        return self.rng.random() < self.habits[habit]

    def visit_Call(self, node):
        self.generic_visit(node)
        method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
        if method and self.has("function") and getattr(node.func.value, "id", "") != "torch":
            node.args.insert(0, node.func.value)
            node.func = ast.parse(f"torch.{node.func.attr}", mode="eval").body
        if method and self.has("keyword") and len(node.args) > 1:
            last = node.args[-1]
            if isinstance(last, (ast.Constant, ast.UnaryOp)):
                node.args.pop()
                node.keywords.append(ast.keyword("dim", last))
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Mult)) and self.has("swap"):
            node.left, node.right = node.right, node.left
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        mirrored = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
        if len(node.ops) == 1 and type(node.ops[0]) in mirrored and self.has("flip"):
            node.left, node.comparators = node.comparators[0], [node.left]
            node.ops = [mirrored[type(node.ops[0])]()]
        return node

    def visit_Return(self, node):
        self.generic_visit(node)
        if node.value is None or isinstance(node.value, ast.Name) or not self.has("result"):
            return self.with_temporaries(node)
        before = self.with_temporaries(ast.Assign([ast.Name("result", ast.Store())], node.value))
        return [*before, ast.Return(ast.Name("result", ast.Load()))]

    def visit_Assign(self, node):
        self.generic_visit(node)
        name = node.targets[0]
        value = node.value
        if isinstance(name, ast.Name) and isinstance(value, ast.ListComp) and self.has("loop"):
            return self.as_loop(name, value)
        found = self.with_temporaries(node)
        if isinstance(name, ast.Name) and self.has("extra") and self.rng.random() < 0.4:
            what = self.rng.choice(("assert {0} is not None", "n_{0} = len({0})", "{0} = {0} + 0"))
            found.append(ast.parse(what.format(name.id)).body[0])
        return found

    def as_loop(self, name, value):
        one = value.generators[0]
        line = ast.parse(f"{name.id}.append(0)").body[0]
        line.value.args = [value.elt]
        body = [ast.If(test, [line], []) for test in one.ifs[:1]] or [line]
        return [ast.parse(f"{name.id} = []").body[0], ast.For(one.target, one.iter, body, [])]

    def with_temporaries(self, node):
        """The statement after assignments of some of its parts to names of their own."""
        before = []
        for inner in ast.walk(node.value) if node.value is not None else []:
            for field, child in ast.iter_fields(inner):
                apart = isinstance(child, (ast.Call, ast.BinOp)) and field in (
                    "left",
                    "right",
                    "value",
                )
                if apart and self.has("temporary") and self.rng.random() < 0.5:
                    self.made += 1
                    name = f"part_{self.made}"
                    before.insert(0, ast.Assign([ast.Name(name, ast.Store())], child))
                    setattr(inner, field, ast.Name(name, ast.Load()))
        return [*before, node]


def made_up_class(answers, students, seed):
    """student -> exercise -> source."""
    rng = random.Random(seed)
    return {f"student_{i:03}": independent(answers, rng) for i in range(students)}
