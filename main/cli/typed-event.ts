/** Events in the terminal's words: messages become English as typed in `--json` lines, and the terminal's language on the screen. */
import type { JobEvent } from '../../shared/phases/events.js';
import { typed, type Sentence } from '../../shared/sentence.js';
import { typedFault } from '../../shared/errors.js';

type Typed<Event> = { [Key in keyof Event]: Key extends 'message' | 'detail' ? TypedText<Event[Key]> : Event[Key] };
type TypedText<Text> = Text extends Sentence ? string : Text;

export type TypedEvent = JobEvent extends infer Event ? (Event extends JobEvent ? Typed<Event> : never) : never;

/** @param word words a sentence: in English, unless a person reads it in another language */
export function typedEvent(event: JobEvent, word: (sentence: Sentence) => string = typed): TypedEvent {
  switch (event.event) {
    case 'phase':
    case 'notice':
    case 'compiling':
      return { ...event, message: word(event.message) };
    case 'progress':
      return { ...event, detail: event.detail === undefined ? undefined : word(event.detail) };
    case 'error':
      return { ...event, fault: typedFault(event.fault) };
    default:
      return event;
  }
}
