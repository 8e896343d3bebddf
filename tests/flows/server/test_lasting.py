import httpx

from tests.flows.servers import PATIENCE, OwnServer


def test_the_ui_of_a_server_asks_the_api_at_its_own_port(own_home: dict[str, str]) -> None:
    server = OwnServer(own_home, "flows", "server", "--port")
    try:
        settings = httpx.get(f"{server.url.removesuffix('/api')}/ui-settings", timeout=PATIENCE).json()
    finally:
        server.stop()
    assert settings["api_url"] == server.url
