"""Run the migrations in the transaction that ``core.saved.shelf`` has begun."""

from alembic import context

from core.saved.shelf import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    # SQLite can change tables within a transaction, and the engine here lets it.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
