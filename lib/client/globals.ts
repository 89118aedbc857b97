/** Named here once: a minifier keeps what it stands for, and pages carry each mention. */
export const { parse, stringify } = JSON;
export const { max, min } = Math;
