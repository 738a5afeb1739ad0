"""What the scripts of the workflow are set to, beside what a person writes: a module for each stage.

`contrapose.plan` fills them in from the settings of a project.
"""

from contrapose.jobs.corpus import (
    CorpusDraws,
    CorpusSample,
    CorpusSegments,
    PublishedSample,
    PunktTraining,
    SegmentedSample,
    TaskSentences,
)
from contrapose.jobs.encoder import EncoderJob, ScorerJob
from contrapose.jobs.evaluate import (
    EvaluationJob,
    FineTunedJob,
    GeometryJob,
    LengthBiasJob,
    SimilaritiesJob,
    TransferJob,
)
from contrapose.jobs.figures import (
    CalibrationJob,
    CurveJob,
    DifferencesJob,
    HistogramJob,
    ScatterJob,
    TenthsJob,
)
from contrapose.jobs.generate import (
    AskedTextsJob,
    AskingJob,
    CostJob,
    DinoJob,
    EstimateJob,
    InstructionJob,
    Question,
    ReplacementJob,
    Wanted,
)
from contrapose.jobs.pages import ClaimsJob, OverviewJob, PageJob, ResultKind, StudyResults
from contrapose.jobs.pairs import (
    DictionaryJob,
    DrawnSentences,
    DropoutJob,
    HeldOutRows,
    PrefixJob,
    PunctuationJob,
    TripleSample,
)
from contrapose.jobs.retrieve import MiniLanguageModelJob, RinnaJob, TranslationSample
from contrapose.jobs.score import HumanTexts, IdentificationJob, PerplexityJob, RewriteStatisticsJob
from contrapose.jobs.tables import (
    SELECTED,
    BiasTableRow,
    Candidate,
    ExamplesTableJob,
    GeometryTableJob,
    IdentificationTableJob,
    IdentifiedRow,
    JudgedSource,
    LengthBiasTableJob,
    LengthsTableJob,
    LinguisticsTableJob,
    PrefixWordsTableJob,
    PrintedTable,
    PromptTableJob,
    PromptTableRow,
    QuestionLengthsJob,
    RewritesTableJob,
    RewritesTableRow,
    ScoreColumn,
    ScoreTableJob,
    SettingsTableJob,
    SimilaritiesTableJob,
    SizesTableJob,
    StatisticsTableJob,
    STSTableJob,
    TableRow,
)
from contrapose.jobs.train import ContrastiveTensionJob, FlowJob, LanguageModelJob, TrainingJob, WhiteningJob
