// SPDX-License-Identifier: GPL-2.0-only
/*
 * pimdimm: emulated ranks of processing-in-DIMM memory. The module, and the
 * system that its parameters describe.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "kmod/pimdimm.h"

/* Parameters of type "number": unsigned long, but saying what is expected. */
static int param_set_number(const char *val, const struct kernel_param *kp)
{
	int err = param_set_ulong(val, kp);

	if (err)
		pr_err("%s=%s: expected a positive integer\n", kp->name, val);
	return err;
}

static const struct kernel_param_ops param_ops_number = {
	.set = param_set_number,
	.get = param_get_ulong,
};

#define param_check_number(name, p)	param_check_ulong(name, p)

static unsigned long channels = 1;
module_param(channels, number, 0444);
MODULE_PARM_DESC(channels, "memory channels (1)");

static unsigned long ranks = 4;
module_param(ranks, number, 0444);
MODULE_PARM_DESC(ranks, "ranks of each channel (4), 256 in all at most");

static unsigned long mram_size = 1048576;
module_param(mram_size, number, 0444);
MODULE_PARM_DESC(mram_size,
		 "bytes of MRAM of each PE (1048576), a multiple of 4096 from 65536 to 67108864");

static char *layout = "linear";
module_param(layout, charp, 0444);
MODULE_PARM_DESC(layout, "where blocks lie in a window: linear, xeon_sp (linear)");

static struct pimdimm_system *pimdimm_default;

/* Turns the parameters into the geometry they describe, or says why not. */
static int __init pimdimm_configure(struct pimdimm_system_geometry *geo)
{
	int known, err;

	*geo = (struct pimdimm_system_geometry){
		.channels = channels,
		.ranks = ranks,
		.mram_size = mram_size,
	};
	err = pimdimm_geometry_check(geo);
	if (err)
		return err;
	known = match_string(pimdimm_layout_names, PIMDIMM_NR_LAYOUTS, layout);
	if (known < 0) {
		pr_err("layout=%s: expected linear or xeon_sp\n", layout);
		return -EINVAL;
	}
	geo->layout = known;
	return 0;
}

static int __init pimdimm_init(void)
{
	struct pimdimm_system_geometry geo;
	int err;

	err = pimdimm_configure(&geo);
	if (err)
		return err;
	err = pimdimm_huge_init();
	if (err)
		return err;
	err = pimdimm_systems_init();
	if (err)
		goto err_huge;
	pr_info("version %s\n", PIMDIMM_VERSION);
	pimdimm_default = pimdimm_system_create(PIMDIMM_SYSTEM_DEFAULT, &geo);
	if (IS_ERR(pimdimm_default)) {
		err = PTR_ERR(pimdimm_default);
		goto err_systems;
	}
	return 0;

err_systems:
	pimdimm_systems_exit();
err_huge:
	pimdimm_huge_exit();
	return err;
}
module_init(pimdimm_init);

static void __exit pimdimm_exit(void)
{
	/* an open node holds the module, unless it is unloaded by force */
	pimdimm_system_destroy(pimdimm_default);
	pimdimm_systems_exit();
	pimdimm_huge_exit();
}
module_exit(pimdimm_exit);

MODULE_DESCRIPTION("Emulated ranks of processing-in-DIMM memory");
MODULE_AUTHOR("The pimdimm authors");
MODULE_VERSION(PIMDIMM_VERSION);
MODULE_LICENSE("GPL");
