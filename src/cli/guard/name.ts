/** The name of the webhook configurations of guards, unless another one is given. */
export const guardName = "antechamber-guard";
