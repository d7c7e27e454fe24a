/** Writes an Ollama Modelfile with an empty template and the writing page's sampling: a base model continues its prompt. */
interface ModelfileSettings {
  readonly file: string;
  readonly temperature: number;
  /** Only the likeliest tokens that have this share of the probability together; 1: all. */
  readonly topP: number;
  readonly context: number;
  readonly stop: string | null;
}

/** Tokens of one answer: about a page. */
const MOST_WRITTEN = 512;

export function modelfile({ file, temperature, topP, context, stop }: ModelfileSettings): string {
  const quotes = '"""';
  const lines = [
    '# ollama create NAME -f Modelfile && ollama run NAME "Once upon a time"',
    `FROM ./${file}`,
    `TEMPLATE ${quotes}{{ .Prompt }}${quotes}`,
    `PARAMETER temperature ${temperature}`,
    'PARAMETER top_k 0',
    `PARAMETER top_p ${topP}`,
    'PARAMETER repeat_penalty 1',
    `PARAMETER num_ctx ${context}`,
    // Ollama writes without end otherwise, as many models never end a text.
    `PARAMETER num_predict ${Math.min(MOST_WRITTEN, context)}`,
    ...(stop === null ? [] : [`PARAMETER stop ${JSON.stringify(stop)}`]),
  ];
  return `${lines.join('\n')}\n`;
}
