"""The `shogi-engine` command: finds the command's module in `cli` and runs it.

Every command has `--help`; wrong arguments end with status 2 and one line on stderr; `--json` prints one JSON object as
the last line of stdout; progress goes to stderr, and only to a terminal.
"""

import sys
from collections.abc import Collection, Sequence

from shogi_engine import __version__, language
from shogi_engine.common.system import leave_start_folder

if __name__ == "__main__":
    leave_start_folder()

from shogi_engine.cli import COMMANDS, GROUPS, TOOLS  # noqa: E402
from shogi_engine.cli.common import Parser, add_command, add_language, add_module, ending_signals, flush_quietly, tell  # noqa: E402
from shogi_engine.common.system import can_show, has_own_console, set_up_streams  # noqa: E402
from shogi_engine.language import Message, mark, translate as _, translate_fault  # noqa: E402

WHAT_TO_TYPE = mark(
    "type shogi-engine serve --open for a board in the browser, shogi-engine play for one here, or shogi-engine --help"
)
BROKEN_PIPE = 128 + 13  # the exit status of a program that SIGPIPE ends
REFUSED = 2  # of a command that could not be done
EXAMPLES = mark("""
examples:
  shogi-engine play shogi --level 3
  shogi-engine analyse game.kif --html game.html
  shogi-engine solve --tsume "SFEN"
  shogi-engine convert FOLDER NEW_FOLDER --to csa
  shogi-engine match shogi ANOTHER_ENGINE --limit movetime=200 --sprt 0 10
  shogi-engine csa HOST --name ME --game floodgate-300-10F
  shogi-engine train shogi FOLDER
  shogi-engine dev perft shogi 5
""")


def asked(arguments: Sequence[str]) -> Collection[str]:
    """Return the command that arguments name, none if they are options alone, and all if it is unknown."""
    words = [word for word in arguments if not word.startswith("-") and word not in language.LANGUAGES]
    named = [name for name, command in COMMANDS.items() if words[:1] and words[0] in (name, *command.aliases)]
    return ["dev" if name in TOOLS else name for name in named] if named or not words else COMMANDS


def parser(loaded: Collection[str] = COMMANDS) -> Parser:
    """Return the parser of the whole command line; only commands in `loaded` have their arguments."""
    top = Parser(
        prog="shogi-engine",
        description="Shogi and Othello engines that share one search. Shogi GUIs start shogi-usi.",
        epilog=EXAMPLES,
        allow_abbrev=False,
    )
    add_language(top)
    top.add_argument("--version", action="version", version=f"shogi-engine {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for heading, names in GROUPS.items():
        for name in names:
            if name in loaded:
                add_module(commands, name)
            else:
                add_command(commands, name)
        group = top.add_argument_group(heading)
        group._group_actions, commands._choices_actions = commands._choices_actions, []
    top._positionals._group_actions.remove(commands)  # its commands are listed under their headings
    top._action_groups.append(top._action_groups.pop(1))  # the options come last
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    set_up_streams()
    arguments = sys.argv[1:] if arguments is None else arguments
    clicked = not arguments and has_own_console()
    if clicked:
        arguments = ["serve", "--open"]  # after a double click the window would close with the message
    wanted = language.asked(arguments) or language.of_environment()
    language.use(wanted if can_show(language.SAMPLES[wanted], sys.stdout) else "en")
    top = parser(asked(arguments))
    if not arguments:
        return refused(_(WHAT_TO_TYPE))
    first = "".join(arguments[:1]).partition("=")[0]
    if first.startswith("-") and first not in top._option_string_actions:
        top.error(_(Message("options follow the command, as in shogi-engine play {0}", first)))
    with ending_signals() as signals:
        try:
            try:
                args = top.parse_args(arguments)
                status: int = args.run(args)
            finally:
                sys.stdout.flush()  # here, as an error would be a traceback at the end of Python
        except BrokenPipeError:  # no one reads the output any more, as with `| head`
            flush_quietly()
            status = BROKEN_PIPE
        except MemoryError as fault:
            status = refused(_("shogi-engine: not enough memory: {fault}").format(fault=one_line(fault)))
        except (ValueError, OverflowError, OSError) as fault:
            status = refused(f"shogi-engine: {one_line(fault)}")
        except KeyboardInterrupt:
            status = 130
    if status:
        flush_quietly()  # the terminal may be closed
        if clicked and status == REFUSED:
            tell(_("press Enter to close this window"))
            sys.stdin.readline()
        return signals.ended(status)
    return status


def refused(reason: str) -> int:
    """Say why a command has failed; return its exit status."""
    tell(reason)
    return REFUSED


def one_line(fault: BaseException) -> str:
    """Return an exception's message as one line in the language in use."""
    return " ".join(translate_fault(fault).split())


if __name__ == "__main__":
    sys.exit(main())
