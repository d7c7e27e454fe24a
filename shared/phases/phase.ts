/**
 * One phase of a project, declared once (as a parameter is in config/parameter.ts). The announcement, the timeline, what
 * may be extended or skipped, the names of what it makes, and the charts of its metrics are all derived from it.
 */
import type { ProjectConfig } from '../config/index.js';
import type { ArtefactKind } from './artefacts.js';

/** One series of metrics.jsonl. */
export interface Metric {
  readonly label: string;
  /** Left out: a plain number. A share is between 0 and 1. */
  readonly unit?: 'share' | 'nats' | 'seconds' | 'tokens';
}

export type ChartColour = 'line1' | 'line2' | 'line3' | 'line4' | 'line5' | 'line6' | 'muted';

export interface ChartLine<Name extends string = string> {
  readonly metric: Name;
  /** Left out: the metric's own. */
  readonly label?: string;
  readonly colour: ChartColour;
  readonly dashed?: boolean;
  /** Measured only now and then. */
  readonly sparse?: boolean;
  /** The metric that gives the half-width of a band around it. */
  readonly spread?: Name;
}

/** A picture of some metrics over steps. */
export interface Chart<Name extends string = string> {
  readonly title: string;
  readonly note?: string;
  /** A word of the window's glossary. */
  readonly term?: string;
  readonly lines: readonly ChartLine<Name>[];
  /** Across the whole width. */
  readonly tall?: boolean;
  /** Not every run measures it: without values it is not shown. */
  readonly optional?: boolean;
}

/** Which phases a project has is decided by these. */
export type PhaseConfig = Pick<ProjectConfig, 'judge_passages' | 'reward_kind' | 'reward_compare'>;

/** Parameters that end a phase after so many steps. */
export type StepLimit = 'max_iters' | 'reward_max_iters' | 'grpo_max_steps';

export interface Phase<Name extends string = string> {
  /** A few words, as a title. */
  readonly label: string;
  /** What is being done, as announced when it begins: "Training the base model". */
  readonly doing: string;
  /** Within a sentence: "base training". */
  readonly called: string;
  /** One sentence for someone who sees it for the first time. */
  readonly help: string;
  /** Cycle 0 is base training; the others repeat. */
  readonly cycles: 'first' | 'later' | 'all';
  /** Whether a project of these settings shows it in this cycle's timeline; left out: always. */
  shown?(config: PhaseConfig, cycle: number): boolean;
  /** What is there when it is over. */
  readonly makes?: ArtefactKind;
  /** The parameter that its steps are counted against; a phase with one can be extended. */
  readonly limit?: StepLimit;
  /** Can be ended early, with what it has made so far. */
  readonly skippable: boolean;
  /** What it records, in the order of importance. */
  readonly metrics: Readonly<Record<Name, Metric>>;
  /** What is pictured large; metrics in none of these are among "All metrics". */
  readonly charts: readonly Chart<Name>[];
}

/** Checks that charts name declared metrics only. */
export const declarePhase = <Name extends string = never>(phase: Phase<Name>): Phase<Name> => phase;
