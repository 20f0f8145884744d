"""Every exported estimator in the settings that tests by discovery run.

`discovery` looks here for each estimator of `sklazy.__all__`; one without settings
fails a test. Those that keep cases are held to the laws in all their settings.
"""

from model_settings.blends import BLENDS
from model_settings.ensembles import ENSEMBLES
from model_settings.filters import FILTERS
from model_settings.kernel_models import KERNEL_MODELS
from model_settings.linear_models import LINEAR_MODELS
from model_settings.local_models import LOCAL_MODELS
from model_settings.number_selection import NUMBER_SELECTION
from model_settings.rules import RULES
from model_settings.search import SEARCH
from model_settings.selection import SELECTION
from model_settings.setting import Setting
from model_settings.trees import TREES

SETTINGS: dict[type, list[Setting]] = {
    **SELECTION,
    **NUMBER_SELECTION,
    **ENSEMBLES,
    **TREES,
    **RULES,
    **LOCAL_MODELS,
    **LINEAR_MODELS,
    **BLENDS,
    **KERNEL_MODELS,
    **SEARCH,
    **FILTERS,
}
