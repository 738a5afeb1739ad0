# The workflow is in workflow/Snakefile, where catalogues and `module` look for it.
include: "workflow/Snakefile"


workflow.default_target = "all"
