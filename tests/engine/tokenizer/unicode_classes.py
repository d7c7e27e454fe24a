"""Writes main/engine/tokenizer/unicode-classes.ts: which characters are letters and numbers for OpenAI's tiktoken, asked of
tiktoken itself, so that ids are the same whatever version of Unicode runs Verisim. Run by hand, with tiktoken 0.14.0:

    python3 tests/engine/tokenizer/unicode_classes.py > main/engine/tokenizer/unicode-classes.ts
"""
import textwrap
from importlib.metadata import version

import tiktoken

bytes_only = {bytes([value]): value for value in range(256)}
every_character = ''.join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def matching(pattern):
    """The code points that a pattern of tiktoken's matches: text that is in no piece is left out of the tokens."""
    encoding = tiktoken.Encoding('class', pat_str=pattern, mergeable_ranks=bytes_only, special_tokens={})
    return [ord(character) for character in bytes(encoding.encode_ordinary(every_character)).decode()]


def digits(value):
    text = ''
    while True:
        value, digit = divmod(value, 36)
        text = '0123456789abcdefghijklmnopqrstuvwxyz'[digit] + text
        if value == 0:
            return text


def runs(codes):
    """Runs of code points as "gap+length", base 36, the gap counted from the end of the run before."""
    found = []
    for code in codes:
        if found and found[-1][1] == code:
            found[-1][1] += 1
        else:
            found.append([code, code + 1])
    texts, end = [], 0
    for first, after in found:
        length = after - first
        texts.append(digits(first - end) + ('' if length == 1 else '+' + digits(length)))
        end = after
    return ' '.join(texts)


def constant(name, what, pattern):
    codes = matching(pattern)
    lines = textwrap.wrap(runs(codes), 116, break_long_words=False, break_on_hyphens=False)
    body = ' +\n'.join(f"  '{line} '" for line in lines[:-1]) + f" +\n  '{lines[-1]}'"
    return f"/** {what}: {len(codes)} characters. */\nexport const {name} =\n{body};\n"


print(f'''/**
 * Letters and numbers as tiktoken {version('tiktoken')} has them (Unicode 16). The JavaScript engine's own classes change with its
 * version, and with them the ids of a text: Node and Electron, or this year's and last year's, would disagree.
 * Each word is a run of code points: how many are skipped, then "+" and its length unless that is 1, in base 36.
 * Made by tests/engine/tokenizer/unicode_classes.py.
 */

{constant('letterRuns', "Unicode's general category L", chr(92) + 'p{L}')}
{constant('numberRuns', "Unicode's general category N", chr(92) + 'p{N}')}''', end='')
