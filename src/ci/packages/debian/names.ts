const word = /^[a-z0-9][a-z0-9.-]*$/i;
const maxLength = 255;

/** Whether a string is a valid codename, suite or component, which are part of URLs. */
export const isDistributionWord = (text: string) => text.length <= maxLength && word.test(text);

/** Whether a string is a valid architecture. */
export const isArchitecture = (text: string) => text.length <= maxLength && /^[a-z0-9][a-z0-9-]*$/.test(text);
