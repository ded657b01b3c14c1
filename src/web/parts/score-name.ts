/** The score that stores feedback: 1 is good, 0 is bad. */
export const FEEDBACK = "gateway-score-feedback";

/** A score's name as shown; filters, columns' ids and downloads keep the stored name. */
export const scoreName = (name: string): string => (name === FEEDBACK ? "Feedback" : name);

/** The same where the word "score" is needed beside other metrics. */
export const scoreTitle = (name: string): string => (name === FEEDBACK ? "Feedback" : `Score ${name}`);
