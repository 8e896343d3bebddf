"""Transactions of a Prefect server on SQLite: why `begin_to_write_at_once` is there, and that it helps."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from flows.server.lasting import begin_to_write_at_once


async def _two_writers(url: str) -> int:
    """Two transactions that add 1 to a count; each reads before it writes, as those of Prefect's server do.

    Returns the count.
    """
    from prefect.server.database.configurations import AioSqliteConfiguration

    configuration = AioSqliteConfiguration(connection_url=url, timeout=5.0)
    engine = await configuration.engine()
    async with engine.begin() as connection:
        await connection.execute(sa.text("create table counts (value integer)"))
        await connection.execute(sa.text("insert into counts values (0)"))

    async def add() -> None:
        async with await configuration.session(engine) as session, configuration.begin_transaction(session):
            await session.execute(sa.text("select value from counts"))
            await asyncio.sleep(0.2)
            await session.execute(sa.text("update counts set value = value + 1"))

    try:
        await asyncio.gather(add(), add())
        async with engine.connect() as connection:
            return int((await connection.execute(sa.text("select value from counts"))).scalar_one())
    finally:
        await engine.dispose()


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """A function that writes from two transactions. Patches are undone after the test."""
    from prefect.server.database.configurations import AioSqliteConfiguration

    monkeypatch.setattr(AioSqliteConfiguration, "begin_transaction", AioSqliteConfiguration.begin_transaction)
    return lambda: asyncio.run(_two_writers(f"sqlite+aiosqlite:///{tmp_path}/counts.db"))


def test_prefect_still_needs_the_patch(write: Callable[[], Any]) -> None:
    """If this fails, Prefect's transactions wait for one another: remove `begin_to_write_at_once`."""
    with pytest.raises(OperationalError, match="database is locked"):
        write()


def test_with_the_patch_transactions_wait_for_one_another(write: Callable[[], Any]) -> None:
    begin_to_write_at_once()
    assert write() == 2
