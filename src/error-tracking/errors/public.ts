export { scheduleRecording } from './jobs.ts';
