/**
 * What a chart of metrics can be drawn over, each as far as a phase has come: its steps, the tokens it worked through, the
 * seconds it computed (without pauses, and without what an interruption lost), and the seconds since it began by the clock.
 */
export const chartAxes = ['step', 'tokens', 'compute', 'wall'] as const;
export type ChartAxis = (typeof chartAxes)[number];
