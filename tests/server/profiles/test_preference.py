"""The model that is used when none is named."""

from __future__ import annotations

import pytest

from jupyterlab_refine.providers.profiles.preference import chat_models, preferred


class TestPreference:
    @pytest.mark.parametrize(
        ("names", "chosen"),
        [
            (["only"], "only"),
            ([], None),
            (["a", "b"], None),
            (["gpt-4o", "gpt-4o-mini", "gpt-4o-mini-2024-07-18"], "gpt-4o-mini"),
            (["gpt-4o-mini", "gpt-4.1-mini"], "gpt-4.1-mini"),
            (["openai/gpt-4o-mini", "x"], "openai/gpt-4o-mini"),
            (["llama3.3:70b", "Qwen/Qwen2.5-Coder-32B-Instruct"], "Qwen/Qwen2.5-Coder-32B-Instruct"),
            (["qwen2.5-coder:7b", "qwen2.5-coder:32b"], "qwen2.5-coder:7b"),
        ],
    )
    def test_the_order_is_as_documented(self, names, chosen):
        assert preferred(names) == chosen

    def test_models_that_do_not_chat_are_left_out(self):
        names = [
            "gpt-4o",
            "text-embedding-3-small",
            "whisper-1",
            "tts-1",
            "dall-e-3",
            "omni-moderation-latest",
        ]
        assert chat_models(names) == ["gpt-4o"]
