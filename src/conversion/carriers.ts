/** The field of status that is the engine's: every generated schema declares it, so that the server keeps it. */
export const carrierField = "conversionData";
