/**
 * One phase of a project, declared once (as a parameter is in config/parameter.ts). The announcement, the timeline, what
 * may be extended or skipped, the names of what it makes, and the charts of its metrics are all derived from it.
 */
import type { ProjectConfig } from '../config/index.js';
import type { PhaseWork, Plan } from '../costs/phases.js';
import type { MessageCode } from '../messages/message.js';
import type { ArtefactKind } from './artefacts.js';

/** Of a metric; left out: a plain number. A share is between 0 and 1. */
export type Unit = 'share' | 'nats' | 'seconds' | 'tokens';

/** One series of metrics.jsonl. One that no chart pictures has a chart of its own among "All metrics". */
export interface Metric {
  readonly label: MessageCode;
  readonly unit?: Unit;
  /** A word of the window's glossary, which explains it. */
  readonly term?: string;
}

export const lineColours = ['line1', 'line2', 'line3', 'line4', 'line5', 'line6'] as const;
type ChartColour = (typeof lineColours)[number] | 'muted';

interface ChartLine<Name extends string = string> {
  readonly metric: Name;
  /** Left out: the metric's own. */
  readonly label?: MessageCode;
  readonly colour: ChartColour;
  readonly dashed?: boolean;
  /** Measured only now and then. */
  readonly sparse?: boolean;
  /** The metric that gives the half-width of a band around it. */
  readonly spread?: Name;
}

/** What the charts of a project depend on: its settings as project.json has them. */
export type ChartSettings = Readonly<Record<string, unknown>>;

/** A picture of some metrics over steps. */
export interface Chart<Name extends string = string> {
  /** Left out, as the term and the unit: those of the metric that the first line shows. */
  readonly title?: MessageCode;
  readonly note?: MessageCode;
  /** A word of the window's glossary. */
  readonly term?: string;
  readonly unit?: Unit;
  readonly lines: readonly ChartLine<Name>[];
  /** Across the whole width. */
  readonly tall?: boolean;
  /** Not every run measures it: without values it is not shown. */
  readonly optional?: boolean;
  /** Among "All metrics", below the charts that are open. */
  readonly minor?: boolean;
  /** The step whose weights were kept is marked. */
  readonly marksBest?: boolean;
  /** The setting that its values must stay below, drawn as a line. */
  readonly cap?: string;
  /** Whether a project of these settings is shown it; left out: always. */
  shown?(settings: ChartSettings): boolean;
}

/** A chart with nothing left out that is drawn. @typeParam Text its codes, or their texts once formatted */
export interface WholeChart<Text extends string = string> extends Omit<Chart, 'title' | 'note' | 'lines'> {
  readonly title: Text;
  readonly note?: Text;
  readonly lines: readonly WholeLine<Text>[];
}
export type WholeLine<Text extends string = string> = Omit<ChartLine, 'label'> & {
  readonly label: Text;
  /** The projects that have this line, of several compared. */
  readonly projects?: readonly string[];
};

/** Which phases a project has is decided by these. */
export type PhaseConfig = Pick<ProjectConfig, 'judge_passages' | 'reward_kind' | 'learned_cycles'>;

/** Parameters that end a phase after so many steps. */
type StepLimit = 'max_iters' | 'reward_max_iters' | 'grpo_max_steps';

export interface Phase<Name extends string = string> {
  /** A few words, as a title. */
  readonly label: MessageCode;
  /** What is being done, as announced when it begins: "Training the base model". */
  readonly doing: MessageCode;
  /** One sentence for someone who sees it for the first time. */
  readonly help: MessageCode;
  /** Cycle 0 is base training; the others repeat. */
  readonly cycles: 'first' | 'later' | 'all';
  /** Whether a project of these settings shows it in this cycle's timeline; left out: always. */
  shown?(config: PhaseConfig, cycle: number): boolean;
  /** Its steps are cycles, each with one row: pictured across the cycles, and no entry of a cycle's timeline. */
  readonly perCycle?: boolean;
  /** What is there when it is over. */
  readonly makes?: ArtefactKind;
  /** The parameter that its steps are counted against; a phase with one can be extended. */
  readonly limit?: StepLimit;
  /** Can be ended early, with what it has made so far. */
  readonly skippable: boolean;
  /** What it computes in a cycle that has it. */
  work(plan: Plan, cycle: number): PhaseWork;
  /** What it records, in the order of importance. */
  readonly metrics: Readonly<Record<Name, Metric>>;
  /** In their order on the screen. */
  readonly charts: readonly Chart<Name>[];
}

/** Checks that charts name declared metrics only. */
export const declarePhase = <Name extends string = never>(phase: Phase<Name>): Phase<Name> => phase;

/** Every metric of a phase as charts: those that are open, and all others. */
export function chartsOf({ metrics, charts }: Phase, settings: ChartSettings) {
  const pictured = new Set(charts.flatMap(({ lines }) => lines.flatMap(({ metric, spread }) => [metric, spread])));
  const alone = Object.keys(metrics)
    .filter((metric) => !pictured.has(metric))
    .map((metric, at): Chart => ({
      minor: true,
      lines: [{ metric, colour: lineColours[at % lineColours.length] ?? 'muted' }],
    }));
  const whole = [...charts, ...alone]
    .filter((chart) => chart.shown?.(settings) ?? true)
    .map((chart) => wholeChart(metrics, chart));
  return { open: whole.filter(({ minor }) => !minor), others: whole.filter(({ minor }) => minor) };
}

/** The charts of several projects, each once, with every line that any of them has, which says whose it is. */
export function chartsTogether<Text extends string>(
  each: readonly { readonly project: string; readonly charts: readonly WholeChart<Text>[] }[],
): readonly WholeChart<Text>[] {
  const byTitle = new Map<string, { readonly chart: WholeChart<Text>; readonly lines: Map<string, WholeLine<Text>> }>();
  for (const { project, charts } of each)
    for (const chart of charts) {
      const { lines } = byTitle.get(chart.title) ?? { lines: new Map<string, WholeLine<Text>>() };
      if (lines.size === 0) byTitle.set(chart.title, { chart, lines });
      for (const line of chart.lines) {
        const { projects = [] } = lines.get(line.metric) ?? {};
        lines.set(line.metric, { ...line, projects: [...projects, project] });
      }
    }
  return [...byTitle.values()].map(({ chart, lines }) => ({ ...chart, lines: [...lines.values()] }));
}

function wholeChart(metrics: Phase['metrics'], chart: Chart): WholeChart<MessageCode> {
  const metric = metrics[chart.lines[0]?.metric ?? ''];
  const title = chart.title ?? metric?.label;
  if (title === undefined) throw new Error('a chart has neither a title nor a declared metric');
  const lines = chart.lines.map((line) => ({ ...line, label: line.label ?? metrics[line.metric]?.label ?? title }));
  return { ...metricUnit(metric), ...chart, title, lines };
}

function metricUnit(metric: Metric | undefined): Omit<Metric, 'label'> {
  const { label: _, ...rest } = metric ?? { label: undefined };
  return rest;
}
