import fc from 'fast-check';

// A fixed seed, so that unrelated changes do not run into new examples. Set TEST_SEED to search for some.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 7) });

export default fc;
