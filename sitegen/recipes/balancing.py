"""One address for several servers: a load balancer in front of them."""

from __future__ import annotations

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.firewall import ports_step
from sitegen.recipes.placement import node_words
from sitegen.recipes.recipe import Language, Phase, RecipeStep
from sitegen.recipes.target import FIRST_PORT, Target

FILE = "balancer.conf"
ABOVE = 1_000
"""What the balancer's port lies above that of the first server."""
RUN = f'nginx -p "$PWD" -c {FILE}'
CONNECTIONS = 16_384
"""Connections that nginx's one process holds, two for each request. Several processes would count
the open requests of each server apart.

Files are twice as many, because a large request waits in a file of its own.

Source:
    nginx documentation, ngx_core_module (``worker_connections``: 512 unless set, those to servers
    count too; ``worker_rlimit_nofile``). Measured with nginx 1.22.1 on 2026-11-29: of 600 requests
    at once, ``events {}`` answered 246, and these lines all.
"""
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
"""Modules of nginx that make a folder for temporary files when it starts."""
CONVERSATION = '"$http_x_session_id$http_x_openwebui_chat_id"'
"""What names a conversation: headers of clients, empty where a client sends none of them.

Source:
    Open WebUI sends its chat where ENABLE_FORWARD_USER_INFO_HEADERS is set; OpenCode sends
    X-Session-Id (``packages/opencode/src/session/llm/request.ts``) without being told (both read
    2026-11-28 in a code index).
"""


def addresses(target: Target, port: int = FIRST_PORT) -> list[str]:
    """List host and port of every server that answers clients, machine by machine.

    Machines have the addresses that the settings show: 10.0.0.1 for the first, and so on.
    """
    groups = target.by_node()
    machines = sorted(node for nodes, _ in groups for node in nodes)
    found = []
    for node in machines:
        replicas = next((held for nodes, held in groups if node in nodes), ())
        host = "127.0.0.1" if len(machines) == 1 else f"10.0.0.{node + 1}"
        found += [f"{host}:{one}" for one in target.ports(len(replicas), port)]
    return found


def balancer_steps(target: Target, port: int, *, own_host: bool) -> tuple[RecipeStep, ...]:
    """Write and start a load balancer; nothing for one server, or where it reaches none.

    Args:
        target: What runs.
        port: Of the first server.
        own_host: Whether the servers listen where HOST says, and not on their machine alone.

    Source:
        nginx documentation, ngx_http_upstream_module (``least_conn``, ``hash … consistent``),
        ngx_http_map_module, and ngx_http_proxy_module (``proxy_pass`` looks a name in a variable
        up among the groups; without ``proxy_buffering`` an answer comes word by word).
    """
    servers = addresses(target, port)
    machines = {one.partition(":")[0] for one in servers}
    if len(servers) == 1 or (len(machines) > 1 and not own_host):
        return ()
    listens = target.ports(1, port)[0] + ABOVE
    first = min(node for nodes, _ in target.by_node() for node in nodes)
    where = "" if len(target.combo.nodes) == 1 else f"node {first + 1}"
    written = RecipeStep(
        Phase.START,
        "Write the load balancer's configuration",
        Language.NGINX,
        "\n".join(_file(servers, listens)),
        where=where,
        file=FILE,
        note=_addresses_note(len(machines), own_host=own_host),
    )
    started = RecipeStep(
        Phase.START,
        "Start the load balancer",
        Language.BASH,
        RUN,
        where=where,
        note=f"This needs nginx. Clients connect to port {listens}. Requests that name a "
        "conversation in a header go to one server, which reads it only once: OpenCode sends "
        "X-Session-Id, Open WebUI X-OpenWebUI-Chat-Id with ENABLE_FORWARD_USER_INFO_HEADERS. "
        "Others go to the server with the fewest open requests.",
    )
    ended = RecipeStep(
        Phase.STOP, "Stop the load balancer", Language.BASH, f"{RUN} -s stop", where=where
    )
    closed = _closed(target, port) if len(machines) > 1 else ()
    return (*closed, written, started, ended)


def _addresses_note(machines: int, *, own_host: bool) -> str:
    """Say which addresses are up to the reader."""
    if machines > 1:
        return "Enter your nodes' addresses, and this one's after listen."
    keep = "Keep HOST=127.0.0.1. " if own_host else ""
    return f"{keep}For clients elsewhere, write this machine's private address after listen."


def _closed(target: Target, port: int) -> tuple[RecipeStep, ...]:
    """Let nobody but the balancer's machine ask the servers of several machines."""
    if target.vendors == (Vendor.APPLE,):
        return ()
    nodes = sorted(node for held, _ in target.by_node() for node in held)
    where = node_words(nodes, len(target.combo.nodes))
    balancer = addresses(target, port)[0].partition(":")[0]
    return (ports_step([balancer], target.machine_ports(port), where),)


def _file(servers: list[str], listens: int) -> list[str]:
    """Write the configuration, line by line.

    Ollama answers 403 to a name that is not of its machine, and nginx would send the name of the
    group. A request may have any size: long prompts and images exceed nginx's limit of 1 MB. What
    exceeds 16 KB waits in a file, and the usual folders for those are not the user's.

    Source:
        Ollama fb3076099, ``server/routes.go`` (``allowedHostsMiddleware``), and its
        ``docs/faq.mdx``, which sets the header for nginx. nginx documentation, ngx_http_core_module
        (``client_max_body_size``, ``client_body_buffer_size``, ``client_body_temp_path``) and
        ngx_http_proxy_module (``proxy_set_header``).
    """
    listed = [f"    server {one};" for one in servers]
    return [
        "pid balancer.pid;",
        "error_log balancer.log;",
        f"worker_rlimit_nofile {2 * CONNECTIONS};",
        f"events {{ worker_connections {CONNECTIONS}; }}",
        "http {",
        "  access_log off;",
        *(f"  {name}_temp_path balancer-{name};" for name in TEMPORARY),
        f"  map {CONVERSATION} $group {{",
        '    "" any;',
        "    default same;",
        "  }",
        "  upstream any {",
        "    least_conn;",
        *listed,
        "  }",
        "  upstream same {",
        f"    hash {CONVERSATION} consistent;",
        *listed,
        "  }",
        "  server {",
        f"    listen 127.0.0.1:{listens};",
        "    client_max_body_size 0;",
        "    location / {",
        "      proxy_pass http://$group;",
        "      proxy_http_version 1.1;",
        "      proxy_set_header Host localhost;",
        '      proxy_set_header Connection "";',
        "      proxy_buffering off;",
        "      proxy_read_timeout 1h;",
        "    }",
        "  }",
        "}",
    ]
