/** Signals that a job may be available for an idle runner, because a job became pending or a runner was changed. */
export const jobsAvailableSignal = 'ci.jobs';
