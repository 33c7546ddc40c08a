from .compiled import MachineChain as MachineChain
from .compiled import compile_machine as compile_machine
from .counters import CounterMachine as CounterMachine
from .examples import busy_beaver as busy_beaver
from .examples import equal_numbers as equal_numbers
from .examples import increment as increment
from .examples import palindromes as palindromes
from .examples import parity as parity
from .examples import rule_110 as rule_110
from .examples import word_problem as word_problem
from .finite import FiniteAutomaton as FiniteAutomaton
from .proof.certificate import MachineCertificate as MachineCertificate
from .proof.replay import replay_machine as replay_machine
from .reading import read_machine as read_machine
from .turing import TuringMachine as TuringMachine

__all__: list[str]
