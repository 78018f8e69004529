import { lens, move } from "antechamber";

/** The lens from v1beta1 to v1beta2, which tells more of each snapshot: when it was made, its size, and whether it is ready. */
export const v1beta1 = lens(move("status.volumeSnapshotHandlePairList", "status.volumeSnapshotInfoList"));
