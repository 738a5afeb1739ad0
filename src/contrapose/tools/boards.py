"""Boards of GPUs by name, and what their data sheets say."""

# Peaks in 10^12 operations per second, in TF32 and in bf16 with float32 sums, without sparsity: NVIDIA's data
# sheets, of SXM boards where nothing else is said, and for GeForce the white papers of GA102, AD102, GB202.
# V100 and T4 have neither: `auto` computes in float32 there.  A name consists of words of the board's name.
PEAKS = {
    **{"v100": (15.7, 15.7), "t4": (8.1, 8.1), "a10": (62.5, 125), "a30": (82, 165), "a40": (74.8, 149.7)},
    **{"a100": (156, 312), "rtx-a6000": (77.4, 154.8), "rtx-3090": (35.6, 71), "rtx-4090": (82.6, 165.2)},
    **{"rtx-5090": (104.8, 209.5), "rtx-6000-ada": (182.1, 364.2), "l4": (60, 121), "l40": (90.5, 181)},
    **{"l40s": (183, 362), "h100": (495, 990), "h100-pcie": (378, 756), "h100-nvl": (418, 835)},
    **{"h200": (495, 990), "gh200": (495, 990), "b200": (1100, 2250)},
}
