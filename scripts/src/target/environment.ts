/** Credentials of the CI job, and of outputs of k6, that the code under test has no business with. */
const WITHHELD = /^(ACTIONS_|INPUT_|K6_PROMETHEUS_RW_|GITHUB_TOKEN$|GH_TOKEN$)/;

export const isWithheld = (name: string): boolean => WITHHELD.test(name);

/** Our own environment without the job's credentials, and `more` on top of it. */
export function childEnvironment(more: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !isWithheld(name));
  return { ...Object.fromEntries(inherited), ...more };
}
