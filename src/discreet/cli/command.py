"""Commands as functions, on top of Click: each parameter is an option, an argument, or a group of options.

    @command(examples="discreet mine shop.csv -s 5%")
    def mine(*, data: Data = None, min_support: MinSupport, reading: ReadOptions, talking: TalkingOptions) -> None:
        rows = read_rows(data, reading)

An option is `Annotated[type, Option(...)]`. A group is a frozen dataclass whose fields are options, declared once and
used by many commands; the command gets it as one value. `ReadOptions` belongs to the library and does not know the
command line: `OPTION_TEXTS` has the texts for its fields.
"""

from __future__ import annotations

import inspect
import os
import re
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click
from click.shell_completion import CompletionItem

from discreet.cli.help import WIDEST, did_you_mean, help_page
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.standard_output import write_text
from discreet.command_words import FileList, flag, option, option_words
from discreet.errors import OutputError, ParameterError, spelled
from discreet.transactions.options import OPTION_TEXTS, ReadOptions

with on_first_use():
    from discreet.cli import policy_defaults
    from discreet.tables import whole
    from discreet.transactions import label_names
    from discreet.transactions.shapes import cell_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


__all__ = ["Argument", "Command", "CommandGroup", "Option", "as_words", "command"]


class Option:
    """How a parameter is typed: its names, its metavar, its help text and its place in the help page.

    One that `writes` names a file or folder of which no other option, and not DATA, may be the name. `suffix` is
    that of another file, of the same name otherwise, which is written too.
    """

    def __init__(
        self,
        *names: str,
        help: str,  # noqa: A002 - Click's word
        metavar: str | None = None,
        min: int | None = None,  # noqa: A002 - Click's word
        parse: Callable[[Any], Any] | None = None,
        panel: str = "Options",
        writes: bool = False,
        suffix: str | None = None,
    ) -> None:
        self.names = names
        self.help = help
        self.metavar = metavar
        self.min = min
        self.parse = parse
        self.panel = panel
        self.writes = writes
        self.suffix = suffix


@dataclass(frozen=True, slots=True)
class Argument:
    """A positional parameter."""

    metavar: str
    help: str
    several: bool = False


def command(
    *, examples: str, group: CommandGroup | None = None, files_last: bool = False
) -> Callable[[Callable[..., int | None]], Command]:
    """Turn a function into a command: its name and docstring, its parameters, and examples for the help page.

    With `files_last`, files take their places after the answer: one that cannot be printed leaves nothing behind.
    """

    def make(function: Callable[..., int | None]) -> Command:
        made = Command(
            function.__name__,
            help=inspect.getdoc(function),
            epilog=examples,
            params=[*_parameters(function), *_policy_option(function)],
            callback=_with_groups(function, files_last=files_last),
        )
        if group is not None:
            group.add_command(made)
        return made

    return make


class Command(click.Command):
    """A command whose help ends with examples: the lines of its epilog."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return `--help`, printed like all other output."""
        return _printing_here(super().get_help_option(ctx))

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole help page."""
        formatter.write(help_page(self, ctx, commands=[]))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with the defaults of a policy; every usage error knows which command was called."""
        try:
            return super().parse_args(ctx, self._with_policy(ctx, args))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def _with_policy(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take defaults from the policy that is typed, if one is, and return the words to parse."""
        if ctx.resilient_parsing or not any(each.startswith(_POLICY) for each in args):
            return args
        found, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        typed: dict[str, object] = {
            name: value for name, value in found.items() if isinstance(value, (str, bool, tuple, list)) and value
        }
        if "policy" not in typed:
            return args
        last = policy_defaults.LAST_WORD
        alone = last in {each.name for each in self.params} and last not in typed and "data" in typed
        if alone:
            typed[last] = typed.pop("data")
        ctx.default_map = policy_defaults.policy_defaults(Path(str(typed["policy"])), self, typed)
        return [str(ctx.default_map["data"]), *args] if alone and "data" in ctx.default_map else args


class CommandGroup(click.Group):
    """A group of commands, which shows its help when called alone; those in `modules` are loaded on demand."""

    modules: ClassVar[Mapping[str, str]] = {}
    """The commands to load on demand, each an object in a module of the same name, with a summary."""

    def __init__(self, name: str, *, examples: str, **settings: Any) -> None:  # passed on to Click
        super().__init__(name, epilog=examples, invoke_without_command=True, callback=_show_help, **settings)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return `--help`, printed like all other output."""
        return _printing_here(super().get_help_option(ctx))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's signature
        """Return the names, in the order in which a newcomer meets them."""
        return [*self.modules, *(name for name in self.commands if name not in self.modules)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loading its module first if necessary."""
        if cmd_name in self.modules:
            found: click.Command = getattr(import_module(f"discreet.cli.{cmd_name}"), cmd_name)
            return found
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was called, or suggest the one that may have been meant."""
        if args[0] not in self.list_commands(ctx) and not ctx.resilient_parsing:
            meant = did_you_mean(args[0], self.list_commands(ctx))
            raise ParameterError(
                f"there is no command {args[0]!r}{meant}; see {ctx.command_path} --help", parameter="COMMAND"
            )
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole help page."""
        commands = [
            (name, self.modules.get(name) or self.commands[name].get_short_help_str(WIDEST))
            for name in self.list_commands(ctx)
        ]
        formatter.write(help_page(self, ctx, commands=commands))


def as_words(group: Any) -> list[str]:  # any option group
    """Return the words that reproduce a group's values, for a command that can be pasted."""
    values = {field.name: getattr(group, field.name) for field in fields(group) if field.init}
    usual = {field.name: field.default for field in fields(group)}
    return option_words({name: value for name, value in values.items() if value != usual[name]})


class _OptionParameter(click.Option):
    panel: str
    writes: bool
    suffix: str | None


class _ArgumentParameter(click.Argument):
    help: str


class _Value(click.ParamType[Any]):
    """One value, converted to the type of its parameter."""

    name = "value"

    def __init__(self, kind: Any, declared: Option | Argument) -> None:
        self.choices = get_args(kind) if get_origin(kind) is Literal else ()
        self._kind = kind
        self._least = getattr(declared, "min", None)
        self._parse = getattr(declared, "parse", None)

    @property
    def expected(self) -> str | None:
        """The requirement on the value, in words; None if any text is accepted."""
        if self.choices:
            *most, last = self.choices
            return f"{', '.join(most)} or {last}" if most else str(last)
        noun = {int: "a whole number", float: "a number"}.get(self._kind)
        return f"{noun} of at least {self._least}" if noun and self._least is not None else noun

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of the text; raise an error if it is invalid."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value) if self._parse is not None else self._converted(value)
        except (_Unusable, OverflowError):
            self.fail(f"must be {self.expected}, got {value!r}", param, ctx)

    def _converted(self, text: str) -> Any:
        if self.choices and text not in self.choices:
            raise _Unusable
        if self._kind is int:
            if not re.fullmatch(r"[+-]?[0-9]+", text):
                raise _Unusable
            number = int(text)
            if self._least is not None and number < self._least:
                raise _Unusable
            return number
        if self._kind is float:
            if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+|inf|nan)([eE][+-]?[0-9]+)?", text):
                raise _Unusable
            return float(text)
        return Path(text) if self._kind is Path else text

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - Click's signature
        param: click.Parameter,  # noqa: ARG002 - the same
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the completions of a word for the shell."""
        if self.choices:
            return [CompletionItem(word) for word in self.choices if word.startswith(incomplete)]
        return [CompletionItem(incomplete, type="file")] if self._kind in (Path, str) else []


class _Unusable(Exception):  # noqa: N818 - never leaves this module
    pass


def _parameters(function: Callable[..., object]) -> list[click.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        if is_dataclass(hints[name]):
            found += _options_of(hints[name])
        else:
            found.append(_parameter(name, hints[name], parameter.default))
    return found


_POLICY = "--policy"


def _policy_option(function: Callable[..., object]) -> list[click.Parameter]:
    """Return the option for a policy, if the command reads rows."""
    if ReadOptions not in get_type_hints(function).values() or function.__name__ == "init":
        return []
    text = "Take from this policy what is not typed: DATA, roles, thresholds and all the rest."
    option = _OptionParameter([_POLICY], type=_Value(Path, Option(_POLICY, help=text)), metavar="FILE", help=text)
    option.panel, option.writes, option.suffix, option.expose_value = "Options", False, None, False
    return [option]


def _options_of(group: Any) -> list[click.Parameter]:  # a dataclass type
    hints = {} if group is ReadOptions else get_type_hints(group, include_extras=True)
    return [
        _parameter(
            field.name,
            hints.get(field.name) or _reading_option(field.name),
            inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(group)
        if field.init
    ]


def _reading_option(name: str) -> Any:  # an annotation
    text = OPTION_TEXTS[name]
    words = f"--{name}/--no-{name}" if text.type is bool else flag(name)
    declared = Option(words, metavar=text.metavar, help=spelled(text.help, option), panel="Reading DATA")
    return Annotated[list[text.type] if text.repeats else text.type, declared]  # type: ignore[name-defined]


class _Given(TypedDict, total=False):
    required: bool
    default: object
    nargs: int
    callback: Callable[[click.Context, click.Parameter, Sequence[str]], str | None]


def _parameter(name: str, annotation: Any, default: Any) -> click.Parameter:
    kind, declared = get_args(annotation)
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    required = default is inspect.Parameter.empty
    given: _Given = {"required": True} if required else {"default": default}
    if isinstance(declared, Argument):
        if declared.several:
            given |= {"nargs": -1, "callback": _as_one}
        argument = _ArgumentParameter([name], type=_Value(kind, declared), metavar=declared.metavar, **given)
        argument.help = declared.help
        return argument
    several = get_origin(kind) is list
    if kind is bool:
        made = _OptionParameter([*declared.names, name], is_flag=True, help=declared.help, **given)
    else:
        made = _OptionParameter(
            [*declared.names, name],
            type=_Value(get_args(kind)[0] if several else kind, declared),
            multiple=several,
            metavar=declared.metavar,
            help=declared.help,
            callback=_as_list if several else None,
            **given,
        )
    made.panel = declared.panel
    made.writes = declared.writes
    made.suffix = declared.suffix
    return made


def _as_one(_ctx: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> str | None:
    """Return one text for the files that were typed."""
    if not values:
        return None
    return values[0] if len(values) == 1 else FileList.of(values)


def _as_list(_ctx: click.Context, _parameter: click.Parameter, values: Sequence[object]) -> list[object] | None:
    return list(values) or None


def _with_groups(function: Callable[..., int | None], *, files_last: bool) -> Callable[..., int | None]:
    """Return the function that takes every option separately and passes groups to the original."""
    hints = get_type_hints(function, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    writes = {
        parameter.name: (min(parameter.opts, key=len), parameter.suffix)
        for parameter in _parameters(function)
        if isinstance(parameter, _OptionParameter) and parameter.writes
    }

    def call(**values: object) -> int | None:
        _keep_apart(values, writes)
        _one_role_each(values)
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group) if field.init})
        if not files_last:
            return function(**values)
        with whole.all_or_none():
            return function(**values)

    return call


def _one_role_each(values: Mapping[str, object]) -> None:
    """Refuse a name that is identifying and has another role as well, before anything is read."""
    if not values.get("identifying"):
        return
    names = {*cell_rules.parse_names(str(values["identifying"]), "identifying")}
    for other in ("quasi_identifiers", "sensitive"):
        given = values.get(other)
        if not isinstance(given, str) or given.startswith("@"):  # what is in a file stands for nothing once read
            continue
        if both := names.intersection(cell_rules.parse_names(given, other)):
            raise label_names.two_roles(min(both), other)


_FILES = {"data", "against", "database", "sensitive"}
"""Options that are texts, because they need not be files, and name what is read if they are."""


def _keep_apart(values: Mapping[str, object], writes: Mapping[str, tuple[str, str | None]]) -> None:
    """Refuse to write where something is read, or two things to one place, before anything is done."""
    written = {writes[name][0]: value for name, value in values.items() if name in writes and isinstance(value, Path)}
    if not written:
        return
    places: dict[str, str] = {}
    for flag_, path in written.items():
        if (other := places.setdefault(os.path.realpath(path), flag_)) != flag_:
            raise OutputError(f"{other} and {flag_} must be different files; what is for others is not for you alone")
    others = [
        value.with_suffix(suffix)
        for name, (_, suffix) in writes.items()
        if suffix is not None and isinstance(value := values[name], Path)
    ]
    whole.keep_inputs(
        [*written.values(), *others], _read_files({name: each for name, each in values.items() if name not in writes})
    )


def _read_files(values: Mapping[str, object]) -> Iterator[str | Path]:
    """Yield the files and folders that options name, except those that are written."""
    for name, value in values.items():
        if isinstance(value, Path) or (name in _FILES and isinstance(value, str)):
            yield value
        elif name == "sql" and isinstance(value, str):
            yield from re.findall(r"'([^']+)'", value)
        else:
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, Path):
                    yield each
                elif isinstance(each, tuple):  # a file with a name before it
                    yield from (part for part in each if isinstance(part, Path))
                elif isinstance(each, str) and each.startswith("@"):
                    yield each[1:]


@click.pass_context
def _show_help(context: click.Context, /, **_: object) -> None:
    if context.invoked_subcommand is None:
        write_text(context.get_help() + "\n")


def _print_help(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        write_text(ctx.get_help() + "\n")
        ctx.exit()


def _printing_here(help_option: click.Option | None) -> click.Option | None:
    if help_option is not None:
        help_option.callback = _print_help
    return help_option
