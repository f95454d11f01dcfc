"""Which tools are asked, and the file that each recording is kept in."""

from __future__ import annotations

import re

from sitegen.here.nvidia import QUERY
from sitegen.values import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """One command and the file of its output."""

    file: str
    command: tuple[str, ...]


TOOLS = (
    Tool("nvidia-smi-query.csv", ("nvidia-smi", f"--query-gpu={','.join(QUERY)}", "--format=csv")),
    Tool("nvidia-smi.txt", ("nvidia-smi",)),
    Tool("nvidia-smi-topo.txt", ("nvidia-smi", "topo", "-m")),
    Tool("nvidia-smi-nvlink.txt", ("nvidia-smi", "nvlink", "-s")),
    Tool(
        "rocm-smi.json",
        ("rocm-smi", "--showproductname", "--showmeminfo", "all", "--showbus", "--showclocks",
         "--showdriverversion", "--json"),
    ),
    Tool("rocm-smi-topo.json", ("rocm-smi", "--showtopotype", "--json")),
    Tool("amd-smi-static.json", ("amd-smi", "static", "--json")),
    Tool("amd-smi-metric.json", ("amd-smi", "metric", "--json")),
    Tool("xpu-smi-discovery.txt", ("xpu-smi", "discovery", "-j")),
    Tool("xpu-smi.txt", ("xpu-smi",)),
    Tool("system-profiler.txt", ("system_profiler", "SPHardwareDataType", "SPDisplaysDataType")),
    Tool("sysctl.txt", ("sysctl", "hw.memsize", "iogpu.wired_limit_mb")),
    Tool(
        "windows-memory.txt",
        ("powershell", "-NoProfile", "-Command", "Get-CimInstance Win32_OperatingSystem | "
         "Format-List TotalVisibleMemorySize, FreePhysicalMemory"),
    ),
    Tool("lspci.txt", ("lspci", "-vv")),
    Tool("dmidecode.txt", ("dmidecode", "-t", "memory")),
)  # fmt: skip
"""A tool that is missing, fails or takes too long leaves no recording."""

PROGRAMS = (
    Tool("CUDA toolkit", ("nvcc", "--version")),
    Tool("llama.cpp", ("llama-server", "--version")),
    Tool("Ollama", ("ollama", "--version")),
    Tool("vLLM", ("vllm", "--version")),
    Tool("SGLang", ("sglang", "--version")),
    Tool("MLX LM", ("mlx_lm", "--version")),
    Tool("Docker", ("docker", "--version")),
)
"""Runtimes and what they need, by the name that a reader knows them under."""

SYSTEM, PROGRAMS_FILE = "system.txt", "programs.txt"
MEMINFO, CPUINFO, SYS = "meminfo.txt", "cpuinfo.txt", "sys.txt"
SYS_GPU_KEYS = (
    "vendor", "device", "mem_info_vram_total", "mem_info_vram_used", "mem_info_gtt_total",
    "mem_info_gtt_used", "current_link_speed", "current_link_width", "max_link_speed",
    "max_link_width",
)  # fmt: skip
"""What is read below ``/sys/class/drm/card*/device``."""
SYS_LINK_KEYS = tuple(key for key in SYS_GPU_KEYS if "_link_" in key)
SYS_UPSTREAM = ("..", "../..")
"""Above the GPU are the ports of the switch that cards of AMD have, then the processor's."""
FILES = (*(tool.file for tool in TOOLS), SYSTEM, PROGRAMS_FILE, MEMINFO, CPUINFO, SYS)

_SECRET = re.compile(
    r"(?im)^(\s*\"?(?:serial[ _]number(?: \(system\))?|hardware uuid|platform_uuid|"
    r"provisioning[ _]udid|asset tag|soc uuid|uuid|unique id|asic_serial|product_serial|"
    r"serial)\"?\s*:\s*)(\"?)[^\",\n]*"
)
_UUID = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_XPU_SECRET = re.compile(r"(?i)(\|\s*(?:soc uuid|serial number):\s*)[^|\s]+")
_RUNNING = re.compile(r"(?s)\n\+[-+]+\+\s*\n\|\s*Processes:.*")


def masked(text: str) -> str:
    """Take out what names one single machine and what runs on it: serials, UUIDs, processes.

    >>> masked("GPU 0: RTX (UUID: GPU-00112233-0011-0011-0011-001122334455)")
    'GPU 0: RTX (UUID: GPU-removed)'
    >>> masked("  Serial Number (system): C02ABC")
    '  Serial Number (system): removed'
    """
    found = _RUNNING.sub("\n", text)
    found = _UUID.sub(lambda one: f"{one[1]}-removed", found)
    return _XPU_SECRET.sub(r"\1removed", _SECRET.sub(r"\1\2removed", found))
