export { formatDuration, MAX_TIMELOG_SUMMARY_LENGTH, MAX_TOTAL_TIME_SPENT, parseDuration } from './duration.ts';
