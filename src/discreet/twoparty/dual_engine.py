"""The engine that computes everything twice, once from each side, so that a partner who cheats is noticed.

Problem      compute what `engine.TransferEngine` computes for IC-SAPM so that a partner with changed software gets no
             wrong result accepted, and learns nothing but whether guesses are right, until a wrong one gives it away.
Method       dual execution (Mohassel and Franklin 2006; Huang, Katz and Evans 2012). There are two computations. In
             each, one party *garbles* and the other *evaluates*; in the second they change places. An evaluator is
             bound to its columns before anything is computed: they are its choices of checked transfers, and it proves
             that itemsets are made of their items (`column_proof`). A count z is shared between the two: the evaluator
             holds v = z + r and a tag t = a + z R modulo 2^64, the garbler r, a and R. Counts are sums of correlated
             transfers, value and tag at once. To compare, the evaluator puts the bits of v in as choices of transfers;
             tags show that they are those of v; a garbled circuit of `garbling` does the rest. Before an answer is
             revealed, and before it is used, both parties compare what they know of both computations (`equality`): all
             tags, and the labels of the answers. An evaluator that holds another answer than the garbler's own
             evaluation gave would have to know a label, or a tag, that it cannot know.
Promises     the evaluator of an honest garbler learns the answers for the columns it is bound to, whatever it does; it
             passes with other numbers with a probability of at most 2^-(63 - bits of a count), less than 2^-40. A
             garbler that cheats makes the two computations differ, or not, depending on the evaluator's bits: the
             comparison then ends the session, or does not: a guess for each comparison. That is all it learns. Each
             declared itemset is shown to be frequent, and made of its items. Which rows a party brings, nobody can
             check.
Cost         per row 16 bytes for each own itemset, 16 more to count it, 16 for each candidate, in both directions;
             per comparison 1.5 kB and 32 bytes per AND, in both; two rounds for each question whether both agree.
Departures   jiang2006 has partners that follow the protocol.
Names        shares have four words along the last axis: as an evaluator v and t, as a garbler r and a.
Reference    docs/two-parties.md, docs/decisions/0018-a-partner-who-lies-blindly.md, tests/twoparty/test_dual_engine.py
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from discreet.errors import ParameterError, ProtocolViolation, param
from discreet.stages import tell, tell_share
from discreet.twoparty.agreement import Role
from discreet.twoparty.column_proof import MASKS, PROOF_LENGTH, check_columns, parts_of, prove_columns
from discreet.twoparty.dot_products import in_batches
from discreet.twoparty.equality import hold_the_same
from discreet.twoparty.garbling import AND_BYTES, Evaluator, Garbler, any_of, below, lowest
from discreet.twoparty.gmw import pack_bits, unpack_bits
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import COLUMNS, extension_length, set_up_transfers
from discreet.twoparty.primitives import RowHash, digest, random_bits
from discreet.twoparty.steps import SO_FAR, exchange, receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from discreet.twoparty.dot_products import ColumnPart
    from discreet.twoparty.garbling import Gates, WireLabels
    from discreet.twoparty.local_itemsets import ItemsetNames, LocalItemsets
    from discreet.twoparty.oblivious_transfer import Transfers
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps

    Words = NDArray[np.uint64]
    Circuit = Callable[[Gates, WireLabels, Words], WireLabels]

__all__ = ["DualEngine", "start_dual_engine"]

_BATCH: Final = 1 << 22
"""The approximate number of bytes per message."""
_VALUES: Final = 1 << 14
"""Numbers compared per batch."""
_MOST_GROUPS: Final = 1 << 20
_BITS: Final = 64  # of a word
_PAIR: Final = 16  # bytes of a value and its tag


class _Entered(NamedTuple):
    """Bits of numbers, as labels of an evaluator and of a garbler, lowest first along the first axis."""

    held: WireLabels
    given: WireLabels
    masks: Words  # the garbler's r


class _Masks(NamedTuple):
    """Rows that mask the proofs: the own choices and rows, and the rows for the partner's."""

    choices: NDArray[np.uint8]
    held: Words
    given: Words


class _Columns:
    """The rows of one side's columns, evaluator's or garbler's, and how much of the pads of each is used up."""

    def __init__(self, rows: Words, first: NDArray[np.int64], row_hash: RowHash) -> None:
        self.rows = rows  # by column and row
        self._first = first
        self._hash = row_hash
        self._used = np.zeros(len(rows), np.int64)

    def pads(self, piece: ColumnPart, secret: Words | None = None) -> Words:
        """Return fresh pads for some rows of a column, a value and a tag for each pair; with a secret, the others."""
        some = slice(8 * piece.start, 8 * piece.stop)
        rows = self.rows[piece.column, some]
        first = int(self._first[piece.column]) + 8 * piece.start
        rows = rows if secret is None else rows ^ secret
        count = len(piece.places)
        pads = self._hash.pads(rows, first=first, blocks=count, after=int(self._used[piece.column]))
        return pads.reshape(len(rows), count, 2)

    def use_up(self, columns: NDArray[np.int64]) -> None:
        """Count one more block of pads as used, for each time that a column is named."""
        np.add.at(self._used, columns, 1)


class DualEngine:
    """One party's side of both computations."""

    def __init__(self, ring: Ring, transfers: Transfers, session_id: bytes) -> None:
        """Draw this side's R; nothing is sent."""
        self.ring = ring
        self._party = transfers.party
        self._session_id = session_id
        self._sender = transfers.sender
        self._receiver = transfers.receiver
        self._scale = np.frombuffer(random_bits(8).tobytes(), np.uint64)[0] | np.uint64(1)
        self._hashes = {each: RowHash(session_id, domain=b"garbled by %d" % each) for each in Role}
        self._gates = dict.fromkeys(Role, 0)
        self._compared = 0
        self._own = np.zeros((1, 0), np.uint8)  # columns, packed, the first of all rows
        self._evaluated = _columns([], ring.n, 0, self._receiver.row_hash)
        self._garbled = _columns([], ring.n, 0, self._sender.row_hash)

    def public(self, numbers: NDArray[np.int64]) -> SecretShares:
        """Return shares of numbers that both know: as a garbler this side knows each, as an evaluator it holds zero."""
        shares = np.zeros((*np.shape(numbers), 4), np.uint64)
        shares[..., 2] = -np.asarray(numbers).astype(np.uint64)
        shares[..., 3] = shares[..., 2] * self._scale
        return shares

    # ---------------------------------------------------------------------------------------------------- columns

    def bring(
        self, own: LocalItemsets, partner: ItemsetNames, min_support: int
    ) -> Steps[tuple[SecretShares, SecretShares]]:
        """Bind both sides to the columns of their itemsets; return shares of the first's supports and the second's.

        Each side proves that its itemsets are made of their items, and all are shown to have `min_support` rows.
        """
        mine, theirs = len(own.names), len(partner)
        columns = own.columns(np.arange(mine))
        everybody = pack_bits(np.ones((1, self.ring.n), np.uint8))
        self._own = np.concatenate([everybody, columns])
        masks = yield from self._bind(columns, theirs)
        yield from self._prove(own, partner, masks)
        tell("counting the itemsets of either side alone")
        alone = [np.stack([np.arange(count), np.zeros(count, np.int64)], axis=1) for count in (mine, theirs)]
        as_evaluator, as_garbler = yield from self._multiply(*alone)
        ours, others = self.public(own.supports), self.public(np.zeros(theirs, np.int64))
        ours[:, :2], others[:, 2:] = as_evaluator, as_garbler
        shares = (ours, others) if self._party is Role.FIRST else (others, ours)
        frequent = yield from self.at_least(np.concatenate(shares), min_support)
        if not frequent.all():
            raise ProtocolViolation(
                "an itemset that the partner calls frequent is not; nothing was kept, and its program is in doubt"
            )
        return shares

    def share_supports(self, pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share the number of rows with both itemsets of each pair (number of a first's, of a second's, from 1)."""
        own, others = pairs[:, self._party - 1], pairs[:, self._party.other - 1]
        as_evaluator, as_garbler = yield from self._multiply(
            np.stack([own - 1, others], axis=1), np.stack([others - 1, own], axis=1)
        )
        return np.concatenate([as_evaluator, as_garbler], axis=1)

    def _bind(self, columns: NDArray[np.uint8], theirs: int) -> Steps[_Masks]:
        """Extend transfers by both sides' columns, and by masks of their proofs; return the masks."""
        length, n = columns.shape[1], self.ring.n
        at_once = max(1, _BATCH // (COLUMNS * max(1, length)))
        masking = random_bits(MASKS // 8)
        chosen = [columns[start : start + at_once].reshape(-1) for start in range(0, len(columns), at_once)]
        coming = [length * min(at_once, theirs - start) for start in range(0, theirs, at_once)]
        kept: tuple[list[tuple[Words, int]], list[tuple[Words, int]]] = ([], [])
        batches = list(zip_longest([*chosen, masking], [*coming, MASKS // 8]))
        tell("binding both sides to their columns")
        for number, (choices, size) in enumerate(batches):
            tell_share(number / len(batches))
            if choices is not None:
                payload, held = self._receiver.extend(choices)
                yield from send(MessageKind.EXTENSION, payload)
                kept[0].append(held.take_plain(8 * len(choices)))
            if size is not None:
                payload = yield from receive(MessageKind.EXTENSION, extension_length(size))
                kept[1].append(self._sender.extend(payload).take_plain(8 * size))
        hashes = self._receiver.row_hash, self._sender.row_hash
        self._evaluated, self._garbled = (
            _columns(parts[:-1], n, length, each) for parts, each in zip(kept, hashes, strict=True)
        )
        return _Masks(unpack_bits(masking, MASKS), kept[0][-1][0], kept[1][-1][0])

    def _prove(self, own: LocalItemsets, partner: ItemsetNames, masks: _Masks) -> Steps[None]:
        """Prove that the own itemsets are made of their items, and check the partner's proof."""
        so_far = yield SO_FAR
        seeds = {role: digest(*halves, domain=b"proof of %d" % role) for role, halves in self._by_role(so_far)}
        bits = unpack_bits(self._own[1:], self.ring.n)
        proof = prove_columns(
            self._evaluated.rows,
            bits,
            parts_of(own.names.itemsets, len(own.names.vocabulary)),
            masks=masks.held,
            masking=masks.choices,
            seed=seeds[self._party],
        )
        theirs = yield from exchange(MessageKind.COLUMN_PROOF, proof, PROOF_LENGTH)
        parts = parts_of(partner.itemsets, len(partner.vocabulary))
        seed = seeds[self._party.other]
        secret = self._sender.secret
        if not check_columns(self._garbled.rows, secret, parts, masks=masks.given, seed=seed, proof=theirs):
            raise ProtocolViolation(
                "the partner's columns are not those of its items; it did not follow the protocol, and nothing was kept"
            )

    def _by_role(self, so_far: bytes) -> Iterator[tuple[Role, tuple[bytes, bytes]]]:
        """Yield for each role what it has sent so far, then what the other has."""
        sent, received = so_far[:32], so_far[32:]
        yield self._party, (sent, received)
        yield self._party.other, (received, sent)

    def _multiply(self, mine: NDArray[np.int64], theirs: NDArray[np.int64]) -> Steps[tuple[Words, Words]]:
        """Share dot products of pairs (the evaluator's column, the garbler's, whose column 0 is all rows).

        `mine` are those that this side evaluates, `theirs` those that it garbles; return its shares of both.
        """
        length = self._own.shape[1]
        as_evaluator, as_garbler = (np.zeros((len(pairs), 2), np.uint64) for pairs in (mine, theirs))
        ways = (in_batches(pairs[:, 0], pairs[:, 1], length, 0, _PAIR) for pairs in (mine, theirs))
        batches = list(zip_longest(*ways))
        for number, (coming, going) in enumerate(batches):
            tell_share(number / len(batches))
            if going is not None:
                corrections = [self._corrections(piece, as_garbler) for piece in going]
                yield from send(MessageKind.CORRECTIONS, b"".join(corrections))
            if coming is not None:
                sizes = [_PAIR * self._rows(piece) * len(piece.places) for piece in coming]
                payload = yield from receive(MessageKind.CORRECTIONS, sum(sizes))
                at = 0
                for piece, size in zip(coming, sizes, strict=True):
                    received = np.frombuffer(payload[at : at + size], np.uint64)
                    self._add_up(piece, received, as_evaluator)
                    at += size
        self._evaluated.use_up(mine[:, 0])
        self._garbled.use_up(theirs[:, 0])
        return as_evaluator, as_garbler

    def _rows(self, piece: ColumnPart) -> int:
        return min(8 * piece.stop, self.ring.n) - 8 * piece.start

    def _corrections(self, piece: ColumnPart, shares: Words) -> bytes:
        """Return what makes the two pads of a row differ by the garbler's bit and R times it; keep the share."""
        zero = self._garbled.pads(piece)
        corrections = zero - self._garbled.pads(piece, self._sender.secret)
        bits = unpack_bits(self._own[piece.partners, piece.start : piece.stop], self._rows(piece)).T.astype(np.uint64)
        corrections[:, :, 0] += bits
        corrections[:, :, 1] += bits * self._scale
        shares[piece.places] += zero.sum(axis=0)
        return corrections.tobytes()

    def _add_up(self, piece: ColumnPart, received: Words, shares: Words) -> None:
        pads = self._evaluated.pads(piece)
        chosen = unpack_bits(self._own[1 + piece.column, piece.start : piece.stop], len(pads)).astype(bool)
        shares[piece.places] += pads.sum(axis=0) + received.reshape(pads.shape)[chosen].sum(axis=0)

    # ---------------------------------------------------------------------------------------------------- answers

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Open, for each shared count, whether it is `threshold` or more, and nothing else."""
        opened = [np.zeros(0, bool)]
        for start in range(0, len(shares), _VALUES):
            entered = yield from self._enter(shares[start : start + _VALUES])
            number = self._reachable(threshold)
            count = entered.held.shape[1]
            answers = yield from self._garble(
                lambda gates, own, masks: below(gates, own, masks + number),  # noqa: B023 - run at once
                entered,
                (self.ring.width - 1) * count,
            )
            opened.append(~(yield from self._open_bits(*answers)))
        return np.concatenate(opened)

    def any_in_interval(self, shares: SecretShares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Open, for each row of a matrix of shared counts, whether any lies in low .. high - 1, but not which."""
        count, groups = shares.shape[:2]
        if groups > _MOST_GROUPS:
            raise ParameterError(
                f"an itemset would be tested for {groups:,} groups, too many to compute twice; raise "
                f"{param('min_support')}, or give {param('dual', value=False)} on both sides",
                parameter="min_support",
            )
        opened = [np.zeros(0, bool)]
        at_once = max(1, _VALUES // groups)
        for start in range(0, count, at_once):
            batch = shares[start : start + at_once]
            opened.append((yield from self._any_inside(batch, self._reachable(low), self._reachable(high))))
        return np.concatenate(opened)

    def _any_inside(self, shares: SecretShares, low: np.uint64, high: np.uint64) -> Steps[NDArray[np.bool_]]:
        count, groups = shares.shape[:2]

        def inside(gates: Gates, own: WireLabels, masks: Words) -> WireLabels:
            return gates.both(gates.invert(below(gates, own, masks + low)), below(gates, own, masks + high))

        flat = shares.reshape(-1, 4)
        entered = yield from self._enter(flat)
        held, given = [], []
        for start in range(0, len(flat), _VALUES):
            some = slice(start, start + _VALUES)
            part = _Entered(entered.held[:, some], entered.given[:, some], entered.masks[some])
            answers = yield from self._garble(inside, part, (2 * self.ring.width - 1) * len(part.masks))
            held.append(answers[0])
            given.append(answers[1])
        of_groups = [np.concatenate(each).reshape(count, groups, 2).swapaxes(0, 1) for each in (held, given)]
        together = _Entered(of_groups[0], of_groups[1], np.zeros(0, np.uint64))
        answers = yield from self._garble(lambda gates, own, _: any_of(gates, own), together, (groups - 1) * count)
        return (yield from self._open_bits(*answers))

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Reveal the shared counts to both parties."""
        masks = yield from exchange(MessageKind.FINAL_SHARES, shares[:, 2].tobytes(), 8 * len(shares))
        numbers = shares[:, 0] - np.frombuffer(masks, np.uint64)
        yield from self._compare(shares[:, 1], shares[:, 3] + numbers * self._scale)
        return numbers.astype(np.int64)

    def _reachable(self, number: int) -> np.uint64:
        return np.uint64(min(number, self.ring.n + 1))

    def _enter(self, shares: SecretShares) -> Steps[_Entered]:
        """Put the bits of v in as choices; go on only if the tags say that they are those of v."""
        held, given, tags, expected = [], [], [], []
        for start in range(0, len(shares), _VALUES):
            batch = shares[start : start + _VALUES]
            payload, own = self._receiver.extend(np.ascontiguousarray(batch[:, 0]).view(np.uint8))
            theirs = yield from exchange(MessageKind.EXTENSION, payload, len(payload))
            size = len(batch) * _BITS
            labels, first = own.take_plain(size)
            zeros, first_given = self._sender.extend(theirs).take_plain(size)
            tag = self._receiver.row_hash.pads(labels, first=first, blocks=1)[:, 0]
            zero, one = (
                self._sender.row_hash.pads(each, first=first_given, blocks=1)[:, 0]
                for each in (zeros, zeros ^ self._sender.secret)
            )
            powers = np.tile(self._scale << np.arange(_BITS, dtype=np.uint64), len(batch))
            corrections = zero - one + powers
            payload = yield from exchange(MessageKind.CORRECTIONS, corrections.tobytes(), corrections.nbytes)
            bits = unpack_bits(np.ascontiguousarray(batch[:, 0]).view(np.uint8), size)
            tag = tag + np.frombuffer(payload, np.uint64) * bits
            tags.append(batch[:, 1] - tag.reshape(-1, _BITS).sum(axis=1))
            expected.append(batch[:, 3] - zero.reshape(-1, _BITS).sum(axis=1) - batch[:, 2] * self._scale)
            held.append(labels.reshape(-1, _BITS, 2)[:, : self.ring.width].swapaxes(0, 1))
            given.append(zeros.reshape(-1, _BITS, 2)[:, : self.ring.width].swapaxes(0, 1))
        yield from self._compare(np.concatenate(tags), np.concatenate(expected))
        return _Entered(np.concatenate(held, axis=1), np.concatenate(given, axis=1), shares[:, 2])

    def _garble(self, circuit: Circuit, entered: _Entered, ands: int) -> Steps[tuple[WireLabels, WireLabels]]:
        """Send a garbled circuit and evaluate the partner's; return labels as an evaluator and as a garbler."""
        garbler = Garbler(self._sender.secret, self._hashes[self._party], self._gates[self._party])
        given = circuit(garbler, entered.given, entered.masks)
        theirs = yield from exchange(MessageKind.GARBLED, b"".join(garbler.tables), AND_BYTES * ands)
        evaluator = Evaluator(theirs, self._hashes[self._party.other], self._gates[self._party.other])
        held = circuit(evaluator, entered.held, entered.masks)
        evaluator.finish()
        self._gates = {self._party: garbler.made, self._party.other: evaluator.made}
        return held, given

    def _open_bits(self, held: WireLabels, given: WireLabels) -> Steps[NDArray[np.bool_]]:
        """Show each other which labels stand for 1; go on only if both computations have the same answers."""
        meaning = pack_bits(lowest(given))
        theirs = yield from exchange(MessageKind.OPENED_BITS, meaning.tobytes(), meaning.nbytes)
        answers = lowest(held) ^ unpack_bits(np.frombuffer(theirs, np.uint8), len(held))
        yield from self._compare(held, given ^ answers[:, None] * self._sender.secret)
        return answers.astype(bool)

    def _compare(self, evaluated: Words, garbled: Words) -> Steps[None]:
        """Go on only if the partner knows the same of both computations."""
        strings = [np.ascontiguousarray(each).tobytes() for each in (evaluated, garbled)]
        self._compared += 1
        domain = b"comparison %d" % self._compared
        both = digest(*(strings if self._party is Role.FIRST else strings[::-1]), domain=domain)
        same = yield from hold_the_same(
            MessageKind.COMPARISON, both, party=self._party, session_id=self._session_id, domain=domain
        )
        if not same:
            raise ProtocolViolation(
                "the two computations do not agree; the partner did not follow the protocol, and nothing was kept"
            )


def _columns(parts: list[tuple[Words, int]], n: int, length: int, row_hash: RowHash) -> _Columns:
    """Combine rows of extensions by column, without the padding of the last byte; the number of each one's first."""
    rows = [taken.reshape(-1, 8 * length, 2)[:, :n] for taken, _ in parts]
    first = [start + 8 * length * np.arange(len(each)) for each, (_, start) in zip(rows, parts, strict=True)]
    none = np.zeros((0, n, 2), np.uint64)
    return _Columns(np.concatenate([none, *rows]), np.concatenate([np.zeros(0, np.int64), *first]), row_hash)


def start_dual_engine(party: Role, ring: Ring, session_id: bytes) -> Steps[DualEngine]:
    """Run the base transfers; return the engine built on them."""
    return DualEngine(ring, (yield from set_up_transfers(party, session_id, odd=True)), session_id)
