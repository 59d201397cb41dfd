// SPDX-License-Identifier: MIT
/* Examples of the manual pages of <pimdimm/pimdimm_layout.h>, as in pimdimm.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/pimdimm_layout.h>

int main(void)
{
	{
		/* example of pimdimm_layout_offset: Where word 100 of the PEs of bank 5
		 * lies */
		uint64_t at = pimdimm_layout_offset(PIMDIMM_LAYOUT_XEON_SP, 1 << 20, 5, 100);

		printf("byte %" PRIu64 " of the window\n", at);
		/* end of example */
		if (at != 0x40000 + 0x40 + 100 * 128)
			return EXIT_FAILURE;
	}
	{
		/* example of pimdimm_layout_run, pimdimm_layout_stride: All blocks of bank
		 * 0, run by run */
		const uint32_t layout = PIMDIMM_LAYOUT_XEON_SP;
		const uint64_t mram_size = 1 << 20, words = mram_size / 8;

		for (uint64_t word = 0; word < words;) {
			uint64_t n = pimdimm_layout_run(layout, mram_size, word);

			printf("%" PRIu64 " blocks from byte %" PRIu64 " on, %" PRIu64 " bytes apart\n",
			       n, pimdimm_layout_offset(layout, mram_size, 0, word),
			       pimdimm_layout_stride(layout));
			word += n;
		}
		/* end of example */
	}
	{
		/* example of pimdimm_layout_span: The size of a window of 64 PEs with 64
		 * KiB each */
		printf("linear: %" PRIu64 ", xeon_sp: %" PRIu64 " bytes\n",
		       pimdimm_layout_span(PIMDIMM_LAYOUT_LINEAR, 65536),
		       pimdimm_layout_span(PIMDIMM_LAYOUT_XEON_SP, 65536));
		/* end of example */
	}
	{
		/* example of pimdimm_layout_name: All layouts there are */
		for (uint32_t layout = 0; layout < PIMDIMM_NR_LAYOUTS; layout++)
			printf("%" PRIu32 " is %s\n", layout, pimdimm_layout_name(layout));
		/* end of example */
	}
	{
		/* example of pimdimm_layout_rotate: Bit 14 of an offset becomes bit 21 */
		printf("%#" PRIx64 "\n", pimdimm_layout_rotate(0x4000));	/* 0x200000 */
		/* end of example */
	}
	return EXIT_SUCCESS;
}
