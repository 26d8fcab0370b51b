"""Write the types of what server and page say to each other, for the page's scripts; `tools.generate` writes them.

They are made of the classes that check it: `shogi_engine.web.replies`, and the messages of `conversation.KINDS`.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from msgspec import inspect

from shogi_engine.web.conversation import KINDS
from shogi_engine.web.replies import Reply

FILE = Path(__file__).parent / "page" / "protocol.d.ts"
HEAD = "// Made by `python -m tools.generate`: what the server sends, and what the page may say."
SIMPLE: dict[type[inspect.Type], str] = {
    inspect.AnyType: "any", inspect.BoolType: "boolean", inspect.NoneType: "null", inspect.FloatType: "number",
}  # fmt: skip
RANGE = 3  # numbers that are listed one by one


def type_text(of: inspect.Type) -> str:
    """Return a type as TypeScript has it."""
    match of:
        case inspect.Metadata():
            return type_text(of.type)
        case inspect.StructType():
            return of.cls.__name__
        case inspect.LiteralType():
            return " | ".join(map(json.dumps, of.values))
        case inspect.StrType():
            inner = (of.pattern or "").removeprefix(r"\A(?:").removesuffix(r")\Z")
            return " | ".join(map(json.dumps, inner.split("|"))) if inner else "string"
        case inspect.IntType():
            few = of.ge is not None and of.le is not None and of.le - of.ge < RANGE
            return " | ".join(map(str, range(of.ge or 0, (of.le or 0) + 1))) if few else "number"
        case inspect.UnionType():
            return " | ".join(map(type_text, of.types))
        case inspect.TupleType():
            return f"[{', '.join(map(type_text, of.item_types))}]"
        case inspect.ListType() | inspect.CollectionType():
            item = type_text(of.item_type)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case inspect.DictType():
            return f"Record<string, {type_text(of.value_type)}>"
    return SIMPLE[type(of)]


def fields_of(struct: inspect.Type, reply: bool) -> list[str]:
    """Return the fields of a struct.

    Args:
        reply: the server leaves out only what `omit_defaults` says, and then None too; a message may leave out more
    """
    assert isinstance(struct, inspect.StructType)
    sparse, fields = struct.cls.__struct_config__.omit_defaults, []
    for each in struct.fields:
        if each.name == "re" and not reply:
            continue  # `Link` adds it
        is_there, of = each.required or reply and not sparse, type_text(each.type)
        of = of.removesuffix(" | null") if sparse and each.default is None else of
        fields.append(f"{each.encode_name}{'' if is_there else '?'}: {of}")
    return fields


def structs_in(of: object, found: dict[str, inspect.StructType]) -> None:
    """Add the structs of a type to those found, each after those that it has."""
    if isinstance(of, inspect.StructType):
        for each in of.fields:
            structs_in(each.type, found)
        found[of.cls.__name__] = of
    elif isinstance(of, inspect.Type):
        for name in ("type", "item_type", "value_type", "types", "item_types"):
            inner = getattr(of, name, ())
            for each in inner if isinstance(inner, Sequence) else (inner,):
                structs_in(each, found)


def text() -> str:
    """Return the file."""
    replies = dict(zip(Reply.__subclasses__(), inspect.multi_type_info(Reply.__subclasses__()), strict=True))
    messages = dict(zip(KINDS, inspect.multi_type_info(KINDS.values()), strict=True))
    found: dict[str, inspect.StructType] = {}
    for each in replies.values():
        structs_in(each, found)
    lines = [HEAD]
    for struct in found.values():
        if struct not in replies.values():
            lines += ["", f"/** {(struct.cls.__doc__ or '').partition(chr(10))[0]} */"]
            lines += [f"interface {struct.cls.__name__} {{", *(f"  {field};" for field in fields_of(struct, True)), "}"]
    lines += ["", "/** The messages to pages, by kind. */", "interface Replies {"]
    for kind, reply in replies.items():
        lines += [f"  /** {(kind.__doc__ or '').partition(chr(10))[0]} */"]
        lines += [f"  {kind.__struct_config__.tag}: {{", *(f"    {field};" for field in fields_of(reply, True)), "  };"]
    lines += ["}", "", "/** The fields of the pages' messages, by what they do. */", "interface Messages {"]
    lines += [f"  {tag}: {{{'; '.join(fields_of(message, False))}}};" for tag, message in messages.items()]
    return "\n".join([*lines, "}", ""])
