/** Reads chats: the turns in JSON of many programs, and WhatsApp's exports; all speakers' turns, or those of some. */
import { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { quoted } from '../../../formats/shorten.js';
import { type Choice, DEFAULT_TEXT_FIELD, isRow, Parts } from './choice.js';
import { LineSplitter, type TextReader } from './lines.js';

interface Turn {
  readonly speaker: string | null;
  readonly text: string;
}

/** Fields of turns (OpenAI, ShareGPT, Telegram, Discord, Claude, Jupyter), of their speaker, and of their text. */
const CHATS = ['messages', 'conversations', 'conversation', 'chat_messages', 'cells'];
const SPEAKERS = ['role', 'from', 'author', 'sender', 'sender_name'];
const CONTENTS = ['content', 'value', 'text', 'source'];
/** Types of what Telegram and Discord report themselves. */
const NOTICE = /^service$|^(?!Default|Reply|ChatInputCommand|ContextMenuCommand)[A-Z]/;

/** Returns the turns of a chat, or null if the value is none. @param field may hold them too */
export function turnsIn(value: unknown, field: string): Turn[] | null {
  if (Array.isArray(value)) return turnsOf(value);
  if (!isRow(value)) return null;
  const list = [...CHATS, field].map((name) => value[name]).find(Array.isArray);
  if (list !== undefined) return turnsOf(list as unknown[]);
  // ChatGPT's export is a tree of messages, Telegram's of all chats a list of them.
  const { mapping, chats } = value;
  if (isRow(mapping)) return turnsOf(Object.values(mapping).map((node) => (isRow(node) ? node['message'] : null)));
  if (isRow(chats) && Array.isArray(chats['list'])) {
    return filled(chats['list'].flatMap((chat: unknown) => turnsIn(chat, field) ?? []));
  }
  const alone = SPEAKERS.some((name) => typeof value[name] === 'string') ? turnsOf([value]) : null;
  return typeof alone?.[0]?.speaker === 'string' ? alone : null;
}

function turnsOf(turns: readonly unknown[]): Turn[] | null {
  return filled(
    turns.flatMap((turn) => {
      if (!isRow(turn) || (typeof turn['type'] === 'string' && NOTICE.test(turn['type']))) return [];
      const speaker = SPEAKERS.map((name) => turn[name]).find((one) => one !== undefined && one !== null);
      const name = isRow(speaker) ? (speaker['nickname'] ?? speaker['name'] ?? speaker['role']) : speaker;
      const text = CONTENTS.map((one) => joined(turn[one])).find((one) => one !== null && one.trim() !== '');
      return text === undefined || text === null ? [] : [{ speaker: typeof name === 'string' ? name : null, text }];
    }),
  );
}

const filled = (turns: Turn[]): Turn[] | null => (turns.length === 0 ? null : turns);

/** Joins a text that may be in parts, some of them with a format; null for anything else. */
function joined(content: unknown): string | null {
  if (typeof content === 'string') return content;
  const parts = isRow(content) ? content['parts'] : content;
  if (!Array.isArray(parts)) return null;
  return parts.map((part: unknown) => (isRow(part) ? part['text'] : part)).filter((one) => typeof one === 'string').join(''); // oxfmt-ignore
}

/** Writes turns as `speaker: text`, or those of one speaker alone without the name; counts who wrote how many. */
export class Speakers {
  private readonly parts = new Parts();
  private readonly names: ReadonlySet<string> | null;
  private hasFound = false;

  /** @param given names, separated by semicolons; the default for all */
  constructor(private readonly given: string) {
    this.names = given === DEFAULT_TEXT_FIELD ? null : new Set([given, ...given.split(';').map((name) => name.trim())]);
  }

  write(turns: readonly Turn[]): string | null {
    for (const { speaker, text } of turns) if (speaker !== null) this.parts.add(speaker, text);
    const { names } = this;
    const read = names === null ? turns : turns.filter(({ speaker }) => names.has(speaker ?? ''));
    if (read.length === 0) return null;
    this.hasFound = true;
    const isNamed = names === null || this.given.includes(';');
    return read.map(({ speaker, text }) => (isNamed && speaker !== null ? `${speaker}: ${text}` : text)).join('\n');
  }

  get choice(): Choice {
    const parts = this.parts.list().sort((one, other) => other.count - one.count);
    const chosen = parts.filter(({ name }) => this.names?.has(name)).map(({ name }) => name);
    return { kind: 'speaker', chosen, parts };
  }

  /** @throws UserError if none of the given speakers wrote anything */
  check(file: string | Message): void {
    if (this.hasFound || this.names === null) return;
    const names = this.choice.parts.slice(0, 8).map(({ name }) => quoted(name, 40));
    throw new UserError({
      code: 'bad_input',
      message: localized('extract.no_such_speaker', { file, speaker: quoted(this.given, 80) }),
      hint: localized('extract.name_speakers', { names: names.join(', ') }),
      field: 'text_field',
    });
  }
}

const date = String.raw`\p{Nd}{1,4}[./-] ?\p{Nd}{1,2}[./-] ?\p{Nd}{1,4}\.?`;
const word = String.raw`[^\p{Nd}\[\]:-]{0,8}`;
/** Exports of iPhones have times with seconds in brackets; those of Android end in a hyphen. */
const STAMP = new RegExp(
  String.raw`^[\u200e\u200f\ufeff]*(?:\[${date}[,،] ?${word}\p{Nd}{1,2}[.:]\p{Nd}{2}[.:]\p{Nd}{2}${word}\] ?|${date}[,،]?\s${word}\p{Nd}{1,2}[.:]\p{Nd}{2}${word} - )`,
  'u',
);
const NAMED = /^[\u200e\u200f]*~?\s*([^:“”"]{1,80}): ?([^]*)$/;
/** Media, and messages that were deleted: what the program wrote in their place. */
const PLACEHOLDER =
  /^\u200e|^<[^<>]{3,60}>$|^\S.*\.\w{2,4} \([^()]+\)$|^(?:null|(?:This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht)\.?)$/;
const EDITED = /\s*\u200e?<[^<>]*(?:edited|bearbeitet)[^<>]*>$/;
/** Lines of one message that are held. */
const MAX_LINES = 1 << 12;

/** Whether a text begins as WhatsApp's export of a chat. */
export const isWhatsApp = (head: string): boolean => STAMP.test(head.trimStart());

export class WhatsApp implements TextReader {
  private readonly splitter = new LineSplitter();
  private readonly speakers: Speakers;
  private speaker: string | null = null;
  private lines: string[] = [];
  private notices = 0;

  constructor(
    private readonly file: string | Message,
    field: string,
  ) {
    this.speakers = new Speakers(field);
  }

  push(text: string): string[] {
    return this.splitter.push(text).flatMap((line) => this.read(line));
  }

  end(): string[] {
    const texts = [...this.splitter.end().flatMap((line) => this.read(line)), ...this.take()];
    this.speakers.check(this.file);
    return texts;
  }

  findings() {
    return { choice: this.speakers.choice, omitted: { what: 'notices', count: this.notices } as const };
  }

  private read(line: string): string[] {
    const stamp = STAMP.exec(line);
    if (stamp === null) return this.lines.push(line) > MAX_LINES ? this.take() : [];
    const done = this.take();
    const rest = line.slice(stamp[0].length);
    const [, name = null, text = rest] = NAMED.exec(rest) ?? [];
    [this.speaker, this.lines] = [name, [text]];
    return done;
  }

  private take(): string[] {
    const text = this.lines.join('\n').trimEnd();
    this.lines = [];
    if (text === '' && this.speaker === null) return [];
    if (this.speaker === null || PLACEHOLDER.test(text)) {
      this.notices++;
      return [];
    }
    const written = this.speakers.write([{ speaker: this.speaker, text: text.replace(EDITED, '') }]);
    return written === null ? [] : [written];
  }
}
