// UpdateTable.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/key_parts.hpp"
#include "local/operations/operations.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace dynalease::local {

namespace {

[[noreturn]] void refuse_change(std::string what) {
    refuse("One or more parameter values were invalid: " + std::move(what));
}

[[noreturn]] void refuse_same(const std::string& of, const throughput& present, const throughput& wanted) {
    refuse("The provisioned throughput for the " + of +
           " will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for "
           "the " +
           of + ": " + std::to_string(present.read_units) +
           ". Requested ReadCapacityUnits: " + std::to_string(wanted.read_units) +
           ". Current WriteCapacityUnits provisioned for the " + of + ": " + std::to_string(present.write_units) +
           ". Requested WriteCapacityUnits: " + std::to_string(wanted.write_units) +
           ". Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.");
}

bool same(const throughput& left, const throughput& right) {
    return left.read_units == right.read_units && left.write_units == right.write_units;
}

class table_change {
public:
    table_change(const context& in, table& changed, const update_table_request& request)
        : in_(in), table_(changed), request_(request) {
        billing_ = request.billing.value_or(changed.settings().billing);
    }

    /// Refuses what cannot be done, before anything is.
    void check() {
        const auto online = std::ranges::count_if(request_.index_changes, [](const index_change& each) {
            return !std::holds_alternative<update_index>(each);
        });
        check_combination(online != 0);
        check_throughput();
        check_indexes_provisioned();
        check_stream();
        check_encryption();
        if (online > 1) {
            throw refusal(errc::limit_exceeded,
                          "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per "
                          "table");
        }
        for (const index_change& each : request_.index_changes) {
            std::visit([this](const auto& change) { check_index(change); }, each);
        }
    }

    update_table_response carry_out() {
        in_.state.note_table(table_);
        table_description& settings = table_.settings();
        if (billing_ == billing_mode::pay_per_request && settings.billing != billing_) {
            constexpr double milliseconds = 1000;
            settings.provisioned = {};
            for (table_index& index : table_.indexes()) index.set_throughput(std::nullopt);
            settings.pay_per_request_since = static_cast<double>(in_.now.time_since_epoch().count()) / milliseconds;
        }
        settings.billing = billing_;
        if (request_.provisioned) settings.provisioned = *request_.provisioned;
        if (request_.deletion_protected) settings.deletion_protected = *request_.deletion_protected;
        if (!request_.table_class.empty()) settings.table_class = request_.table_class;
        if (request_.on_demand) settings.on_demand = request_.on_demand;
        if (request_.encryption_enabled) settings.encrypted = encryption_wanted();
        for (const index_change& each : request_.index_changes) {
            std::visit([this](const auto& change) { apply(change); }, each);
        }
        update_table_response answer{table_.describe()};
        answer.table.status = "UPDATING";
        for (auto& index : answer.table.global_indexes) {
            if (index.name == created_) index.status = "CREATING";
        }
        if (deleted_) answer.table.global_indexes.push_back(*std::move(deleted_));
        return answer;
    }

private:
    void check_combination(bool any_online) const {
        if (request_.stream_enabled && request_.provisioned) {
            refuse_change("You cannot modify stream status while updating table IOPS");
        }
        if (any_online && request_.provisioned) {
            refuse_change("You cannot create or delete index while updating table IOPS");
        }
        if (any_online && request_.stream_enabled) {
            refuse_change("You cannot create or delete index while changing stream status");
        }
    }

    /// Whoever leaves billing per request says what every global index gets.
    void check_indexes_provisioned() const {
        if (billing_ != billing_mode::provisioned || table_.settings().billing == billing_) return;
        for (const table_index& index : std::as_const(table_).indexes()) {
            const auto names_it = [&](const index_change& each) {
                const auto* update = std::get_if<update_index>(&each);
                return update && update->name == index.name();
            };
            if (index.is_global() && std::ranges::none_of(request_.index_changes, names_it)) {
                refuse_change("ProvisionedThroughput must be specified for index: " + index.name());
            }
        }
    }

    void check_throughput() const {
        if (!request_.provisioned) return;
        if (billing_ == billing_mode::pay_per_request) {
            refuse_change(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
                "PAY_PER_REQUEST");
        }
        const table_description& present = table_.settings();
        if (present.billing == billing_ && same(present.provisioned, *request_.provisioned)) {
            refuse_same("table", present.provisioned, *request_.provisioned);
        }
    }

    void check_stream() const {
        if (!request_.stream_enabled) return;
        if (*request_.stream_enabled) refuse_stream();
        refuse("Table has no stream to disable: TableName: " + table_.name());
    }

    std::optional<encryption> encryption_wanted() const {
        if (!*request_.encryption_enabled) return std::nullopt;
        return encryption{arn_of_key(request_.encrypted ? detail::plain(request_.encrypted->key) : std::string())};
    }

    /// Only what is plainly the same is refused: a key by another name is taken.
    void check_encryption() const {
        if (!request_.encryption_enabled) return;
        const auto& present = table_.settings().encrypted;
        if (!present && !*request_.encryption_enabled) refuse_change("Table is already encrypted by default");
        if (present && request_.encrypted && request_.encrypted->key == present->key) {
            refuse_change(
                "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to "
                "change Master Key");
        }
    }

    void check_index(const secondary_index& created) const {
        if (table_.find_index(created.name)) {
            refuse("Attempting to create an index which already exists");
        }
        if (billing_ == billing_mode::pay_per_request && created.provisioned) {
            refuse_change("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: " +
                          created.name + " when BillingMode is PAY_PER_REQUEST");
        }
        if (billing_ == billing_mode::provisioned && !created.provisioned) {
            refuse_change("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: " + created.name);
        }
        each_part(created.key, [this](const key_attribute& each) { check_redefined(each); });
        constexpr auto most_indexes = 20;
        if (std::ranges::count_if(table_.indexes(), &table_index::is_global) == most_indexes) {
            throw refusal(errc::limit_exceeded, "GlobalSecondaryIndex count exceeds the per-table limit of 20");
        }
    }

    /// An attribute has one type in all keys of a table.
    void check_redefined(const key_attribute& attribute) const {
        const auto check = [&](const key_schema& schema) {
            each_part(schema, [&](const key_attribute& part) {
                if (part.name != attribute.name || part.type == attribute.type) return;
                refuse_change(
                    "Attributes cannot be redefined. Please check that your attribute has the same type as previously "
                    "defined. Existing schema: Schema:[SchemaElement: key{" +
                    part.name + ":" + std::string(name_of(part.type)) + "}] New schema: Schema:[SchemaElement: key{" +
                    attribute.name + ":" + std::string(name_of(attribute.type)) + "}]");
            });
        };
        check(table_.key());
        for (const table_index& index : std::as_const(table_).indexes()) check(index.key());
    }

    void check_index(const update_index& changed) const {
        const table_index* found = std::as_const(table_).find_index(changed.name);
        if (found && !found->is_global()) refuse_local("update", changed.name);
        if (!found) {
            refuse(
                "This operation cannot be performed with given input values. Please contact DynamoDB service team for "
                "more info: Action Blocked: IndexUpdate");
        }
        const table_index& index = *found;
        if (billing_ == billing_mode::pay_per_request) {
            refuse_change("The only Updates for index: " + changed.name +
                          " when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput");
        }
        const throughput present = index.definition().provisioned.value_or(throughput{});
        if (same(present, changed.provisioned)) refuse_same("index: " + changed.name, present, changed.provisioned);
    }

    void check_index(const delete_index& gone) const {
        const table_index* found = std::as_const(table_).find_index(gone.name);
        if (!found) throw refusal(errc::table_not_found, "Requested resource not found");
        if (!found->is_global()) refuse_local("delete", gone.name);
    }

    [[noreturn]] static void refuse_local(const std::string& change, const std::string& index) {
        refuse("Cannot " + change + " an index that is not a GlobalSecondaryIndex: " + index);
    }

    void apply(const secondary_index& created) {
        table_.add_index(created, true);
        created_ = created.name;
    }
    void apply(const update_index& changed) { table_.find_index(changed.name)->set_throughput(changed.provisioned); }
    void apply(const delete_index& gone) {
        deleted_ = table_.find_index(gone.name)->describe();
        deleted_->status = "DELETING";
        deleted_->arn = table_.settings().arn + "/index/" + gone.name;
        table_.remove_index(gone.name);
    }

    const context& in_;
    table& table_;
    const update_table_request& request_;
    billing_mode billing_;
    std::string created_;
    std::optional<index_description> deleted_;
};

}  // namespace

result<any_response> execute(const context& in, const update_table_request& request) {
    table_change change(in, in.described_table(request.table_name), request);
    change.check();
    return any_response(change.carry_out());
}

}  // namespace dynalease::local
