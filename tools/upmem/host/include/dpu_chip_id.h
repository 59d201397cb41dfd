/* SPDX-License-Identifier: MIT */
#ifndef DPU_CHIP_ID_H
#define DPU_CHIP_ID_H

typedef enum _dpu_chip_id_e {
	vD = 0,
	vD_cas = 1,
	vD_fun = 2,
	vD_asic1 = 3,
	vD_asic8 = 4,
	vD_fpga1 = 5,
	vD_fpga8 = 6,
	vD_asic4 = 7,
	vD_fpga4 = 8,
	NEXT_DPU_CHIP_ID = 9,
} dpu_chip_id_e;

#endif /* DPU_CHIP_ID_H */
