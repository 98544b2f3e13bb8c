import fc from 'fast-check';

// The same examples in each run: whoever changes something else must not meet a new one. TEST_SEED looks for those.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 7) });

export default fc;
