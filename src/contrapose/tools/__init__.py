"""Programs beside the workflow: plan what a call takes, check what it needs."""
