/** Natural text, and text that a small model might have written: a character model of order four over the same lines. */
import { noise } from './random.js';

/** Shakespeare, Coriolanus, act I, scene 1. */
export const natural = `First Citizen:
Before we proceed any further, hear me speak.

All:
Speak, speak.

First Citizen:
You are all resolved rather to die than to famish?

All:
Resolved. resolved.

First Citizen:
First, you know Caius Marcius is chief enemy to the people.

All:
We know't, we know't.

First Citizen:
Let us kill him, and we'll have corn at our own price.
Is't a verdict?

All:
No more talking on't; let it be done: away, away!

Second Citizen:
One word, good citizens.

First Citizen:
We are accounted poor citizens, the patricians good.
What authority surfeits on would relieve us: if they
would yield us but the superfluity, while it were
wholesome, we might guess they relieved us humanely;
but they think we are too dear: the leanness that
afflicts us, the object of our misery, is as an
inventory to particularise their abundance; our
sufferance is a gain to them. Let us revenge this with
our pikes, ere we become rakes: for the gods know I
speak this in hunger for bread, not in thirst for revenge.

Second Citizen:
Would you proceed especially against Caius Marcius?

All:
Against him first: he's a very dog to the commonalty.

Second Citizen:
Consider you what services he has done for his country?

First Citizen:
Very well; and could be content to give him good
report fort, but that he pays himself with being proud.
`;

const ORDER = 4;
const followers = new Map<string, string[]>();
for (let at = 0; at + ORDER < natural.length; at++) {
  const context = natural.slice(at, at + ORDER);
  followers.set(context, [...(followers.get(context) ?? []), natural[at + ORDER] ?? ' ']);
}

/** A stretch of the text, from a place that depends on the seed. */
export function naturalPiece(seed: number, length: number): string {
  const from = noise(seed + 7).below(natural.length - length - 1);
  return natural.slice(from, from + length);
}

/** What comes after `prompt`; `skill` of one follows the text, with less of it jumps to elsewhere in it more often. */
export function writtenAfter(prompt: string, length: number, seed: number, skill = 0.93): string {
  const source = noise(seed);
  let text = prompt;
  while (text.length < prompt.length + length) {
    const known = followers.get(text.slice(-ORDER));
    const elsewhere = source.below(natural.length - ORDER);
    text +=
      known && source.uniform() <= skill
        ? (known[source.below(known.length)] ?? ' ')
        : natural.slice(elsewhere, elsewhere + ORDER);
  }
  return text.slice(prompt.length, prompt.length + length);
}
