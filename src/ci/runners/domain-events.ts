/** The signal that there may be a job for a runner that had none: one waits, or a runner takes others now. */
export const jobsWanted = 'ci.jobs';
