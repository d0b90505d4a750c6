"""The nouns of LLM Formulary: frozen types that carry evidence, results and requirements.

No logic lives here. A missing number is ``None`` in a scalar field and ``nan`` in an array: never
0. Identifiers of models are Hugging Face ids, or the names that MedHELM, BenchHealth and BRIDGE
print. The errors are those that a person can mend.
"""

from typing import TYPE_CHECKING

from core.domain.choice import Access as Access
from core.domain.choice import Altered as Altered
from core.domain.choice import Dossier as Dossier
from core.domain.choice import Due as Due
from core.domain.choice import Equivalent as Equivalent
from core.domain.choice import Invented as Invented
from core.domain.choice import Judged as Judged
from core.domain.choice import LeftOut as LeftOut
from core.domain.choice import Loss as Loss
from core.domain.choice import Requirements as Requirements
from core.domain.choice import Rise as Rise
from core.domain.choice import Rule as Rule
from core.domain.choice import Shortlist as Shortlist
from core.domain.choice import Taken as Taken
from core.domain.choice import Tested as Tested
from core.domain.conditions import CrosswalkEntry as CrosswalkEntry
from core.domain.conditions import GateAnswer as GateAnswer
from core.domain.conditions import GateCheck as GateCheck
from core.domain.conditions import GateKind as GateKind
from core.domain.conditions import Licence as Licence
from core.domain.conditions import Lifecycle as Lifecycle
from core.domain.conditions import OnSale as OnSale
from core.domain.conditions import OwnSale as OwnSale
from core.domain.conditions import Platform as Platform
from core.domain.conditions import Region as Region
from core.domain.conditions import RouteVerdict as RouteVerdict
from core.domain.conditions import Sale as Sale
from core.domain.conditions import SaleState as SaleState
from core.domain.conditions import Status as Status
from core.domain.evidence import Benchmark as Benchmark
from core.domain.evidence import Change as Change
from core.domain.evidence import Changes as Changes
from core.domain.evidence import Cohort as Cohort
from core.domain.evidence import Domain as Domain
from core.domain.evidence import EvidenceBase as EvidenceBase
from core.domain.evidence import Exclusion as Exclusion
from core.domain.evidence import Flag as Flag
from core.domain.evidence import ItemErrors as ItemErrors
from core.domain.evidence import Model as Model
from core.domain.evidence import ModelFact as ModelFact
from core.domain.evidence import Provenance as Provenance
from core.domain.evidence import RunPin as RunPin
from core.domain.evidence import ScoreMatrix as ScoreMatrix
from core.domain.evidence import ScoreTable as ScoreTable
from core.domain.evidence import Selection as Selection
from core.domain.evidence import Snapshot as Snapshot
from core.domain.evidence import Suite as Suite
from core.domain.evidence import Task as Task
from core.domain.procurement import Architecture as Architecture
from core.domain.procurement import Bill as Bill
from core.domain.procurement import FactList as FactList
from core.domain.procurement import GpuKind as GpuKind
from core.domain.procurement import GpuOffer as GpuOffer
from core.domain.procurement import HiddenTokens as HiddenTokens
from core.domain.procurement import HourlyPrice as HourlyPrice
from core.domain.procurement import Lacking as Lacking
from core.domain.procurement import ListKey as ListKey
from core.domain.procurement import ListRow as ListRow
from core.domain.procurement import MonthlyCost as MonthlyCost
from core.domain.procurement import OwnPrice as OwnPrice
from core.domain.procurement import OwnRent as OwnRent
from core.domain.procurement import OwnTokens as OwnTokens
from core.domain.procurement import Price as Price
from core.domain.procurement import PriceReference as PriceReference
from core.domain.procurement import Rates as Rates
from core.domain.procurement import ReasoningTokens as ReasoningTokens
from core.domain.procurement import RequestKind as RequestKind
from core.domain.procurement import Safety as Safety
from core.domain.procurement import Saving as Saving
from core.domain.procurement import Servers as Servers
from core.domain.procurement import Throughput as Throughput
from core.domain.procurement import TokenProfile as TokenProfile
from core.domain.procurement import TokenRow as TokenRow
from core.domain.procurement import Volume as Volume
from core.domain.procurement import WhyUnknown as WhyUnknown
from core.domain.procurement import WithBaa as WithBaa
from core.domain.procurement import WorkloadLine as WorkloadLine
from core.domain.statistics import BenchmarkPair as BenchmarkPair
from core.domain.statistics import ClusterTest as ClusterTest
from core.domain.statistics import ClusterTests as ClusterTests
from core.domain.statistics import Difference as Difference
from core.domain.statistics import Interval as Interval
from core.domain.statistics import IntervalBasis as IntervalBasis
from core.domain.statistics import OrderAgreement as OrderAgreement
from core.domain.statistics import Redundancy as Redundancy
from core.domain.statistics import Taxonomy as Taxonomy
from core.domain.statistics import Tier as Tier
from core.domain.statistics import Verdict as Verdict
from core.domain.statistics import WinRateRow as WinRateRow
from core.domain.statistics import WinRates as WinRates

if TYPE_CHECKING:
    from core.domain.evidence import FloatArray as FloatArray


class FormularyError(Exception):
    """Something a person can mend; the message is one sentence that says what and where."""


class BadRequestError(FormularyError):
    """The question is wrong: an unknown suite, model or category, a value out of range."""


class TooFewError(BadRequestError):
    """Too few models or benchmarks to answer; no fault, but a limit of the evidence."""


class BadDataError(FormularyError):
    """The data is wrong: a file that is missing, altered or malformed."""
