export { estimateChange, spendCommandChange, type TimeEvent } from './changes.ts';
export { formatDuration, MAX_TIMELOG_SUMMARY_LENGTH, MAX_TOTAL_TIME_SPENT, parseDuration } from './duration.ts';
export { timeOperations, timesChanger } from './operations.ts';
export { formattedDuration, presentTimeStats } from './present.ts';
export { TimeStats, type TimeStatsEntity } from './schema.ts';
export { copyTimelogs, deleteTimelogs, insertTimelog } from './store.ts';
